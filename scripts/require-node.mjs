// Loaded before anything else of the program. Plain JavaScript, so that an old Node can still read it: the
// native modules (SQLite, password hashing) crash an old Node without a word.

const OLDEST_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  console.error(
    `This program needs Node ${OLDEST_MAJOR} or newer and was started with Node ${process.versions.node}; ` +
      'use "npm start", which brings its own.',
  );
  process.exit(1);
}
