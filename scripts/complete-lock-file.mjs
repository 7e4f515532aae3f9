// To be run after `npm install` when test/setup.test.ts asks for it. npm leaves a package for another platform out
// of the lock file when the registry at hand does not have it, and then `npm ci` refuses the file everywhere.
// This adds what is missing, by the name each such package carries; npm checks the rest where it installs it.

import fs from 'node:fs';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos'];
const WINDOWS = ['win32', 'windows'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

const lockFile = new URL('../package-lock.json', import.meta.url);
/** @type {{ packages: Record<string, { optionalDependencies?: Record<string, string>, dev?: boolean }> }} */
const lock = JSON.parse(fs.readFileSync(lockFile, 'utf8'));

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`;
    if (lock.packages[at]) continue;
    if (!/^\d/.test(version)) throw new Error(`${name}: ${version} does not name one version`);
    const entry = { version, ...platformIn(name), ...(parent.dev && { dev: true }), optional: true };
    lock.packages[at] = entry;
    console.log(`added ${name}@${version}`);
  }
}
const inOrder = Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
lock.packages = Object.fromEntries(inOrder);
fs.writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);

/** @param {string} name such as `@tool/binding-linux-arm64-musl` */
function platformIn(name) {
  const words = name.split(/[-/]/);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  const os = WINDOWS.some((word) => words.includes(word))
    ? 'win32'
    : SYSTEMS.find((word) => words.includes(word));
  if (!os || !cpu) throw new Error(`${name}: its platform cannot be told from its name`);
  const libc = words.includes('musl')
    ? 'musl'
    : os === 'linux' && words.includes('gnu')
      ? 'glibc'
      : undefined;
  return { cpu: [cpu], ...(libc && { libc: [libc] }), os: [os] };
}
