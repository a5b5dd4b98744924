// What takes long runs in `deploy/test --all`, and wherever TROUPE_LONG is 1.
export const LONG = process.env.TROUPE_LONG === '1';

// Why a test is skipped otherwise, as its option `skip`.
export const long = (why) => !LONG && `only with TROUPE_LONG=1: ${why}`;
