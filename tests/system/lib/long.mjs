// Long tests run in `deploy/test --all`, and whenever TROUPE_LONG is 1.
export const LONG = process.env.TROUPE_LONG === '1';

// The value of the option `skip` for a long test.
export const long = (why) => !LONG && `only with TROUPE_LONG=1: ${why}`;
