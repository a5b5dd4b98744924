// Preloaded by Node programs that tests start often. It stores compiled code in .cache beside this folder; if that is
// not writable, Node compiles each time.
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

enableCompileCache(join(__dirname, '../.cache/node'));
