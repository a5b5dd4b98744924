// Loaded before all else by what starts often: what Node compiles is kept for the next start, in .cache beside this
// folder. Where nothing can be written there, Node goes on without.
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

enableCompileCache(join(__dirname, '../.cache/node'));
