import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Arch, PRODUCT } from '#operations/update/package-file.ts';
import { type TreeFile, writeTree } from './program-files.ts';

export const PROGRAM = `usr/lib/${PRODUCT}`;

const HOSTED_UNIT = 'systemd/hosted.service';

/** Files of the system, each from packaging/. */
const SYSTEM: readonly { path: string; mode: number; source: string }[] = [
  { path: `lib/systemd/system/${PRODUCT}.service`, mode: 0o644, source: 'systemd/gateway.service' },
  { path: 'lib/systemd/system/shrimp-farm-hosted.service', mode: 0o644, source: HOSTED_UNIT },
  { path: `usr/lib/systemd/journald.conf.d/${PRODUCT}.conf`, mode: 0o644, source: 'systemd/journald.conf' },
  { path: `etc/${PRODUCT}/gateway.env`, mode: 0o640, source: 'gateway.env' },
  { path: `etc/${PRODUCT}/hosted.env`, mode: 0o640, source: 'hosted.env' },
  { path: `usr/sbin/${PRODUCT}`, mode: 0o755, source: 'command' },
  { path: `usr/share/doc/${PRODUCT}/copyright`, mode: 0o644, source: 'copyright' },
];
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];
/** Further processes of a hosted instance, by their port: shrimp-farm-hosted@8081. */
const HOSTED_COPIES = 'lib/systemd/system/shrimp-farm-hosted@.service';

export type Deb = {
  root: string;
  arch: Arch;
  version: string;
  program: readonly TreeFile[];
  to: string;
  /** Every time in the package. */
  at: Date;
  compression: 'xz' | 'none';
  /** Where it is laid out. */
  scratch: string;
};

/** Builds a .deb with dpkg-deb and nothing else; twice the same from the same files. Answers its name. */
export function makeDeb({ root, arch, version, program, to, at, compression, scratch }: Deb): string {
  const tree = mkdtempSync(join(scratch, 'deb-'));
  try {
    const packaging = join(root, 'packaging');
    const installed: TreeFile[] = [
      ...program.map((file) => ({ ...file, path: `${PROGRAM}/${file.path}` })),
      ...SYSTEM.map(({ path, mode, source }) => ({ path, mode, from: join(packaging, source) })),
      { path: HOSTED_COPIES, mode: 0o644, from: copiesOf(join(packaging, HOSTED_UNIT)) },
    ].sort((a, b) => (a.path < b.path ? -1 : 1));
    const control: TreeFile[] = [
      { path: 'DEBIAN/control', mode: 0o644, from: controlFile(arch, version, installed) },
      {
        path: 'DEBIAN/conffiles',
        mode: 0o644,
        from: Buffer.from(
          installed
            .filter(({ path }) => path.startsWith('etc/'))
            .map(({ path }) => `/${path}\n`)
            .join(''),
        ),
      },
      { path: 'DEBIAN/md5sums', mode: 0o644, from: checkSums(installed) },
      ...SCRIPTS.map((name) => ({
        path: `DEBIAN/${name}`,
        mode: 0o755,
        from: scriptOf(join(packaging, 'debian', name), installed),
      })),
    ];
    writeTree(tree, [...installed, ...control], at);
    const file = join(to, `${PRODUCT}_${debVersion(version)}_${arch}.deb`);
    const level = compression === 'xz' ? ['-Zxz', '-z6'] : ['-Znone'];
    execFileSync('dpkg-deb', ['--root-owner-group', ...level, '--build', tree, file], {
      env: {
        ...process.env,
        SOURCE_DATE_EPOCH: String(at.getTime() / 1000),
        // with several threads the compressed bytes depend on how many there are
        DPKG_DEB_THREADS_MAX: '1',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** 1.0.0-rc.1 comes before 1.0.0 for dpkg, too. */
const debVersion = (version: string) => version.replace('-', '~');

/** What they take on a disk, in the unit that dpkg counts in. */
const kilobytesOf = (installed: readonly TreeFile[]): number =>
  installed.reduce(
    (sum, { from }) => sum + Math.ceil((typeof from === 'string' ? statSync(from).size : from.length) / 1024),
    0,
  );

/** Before a package is unpacked nothing tells a script how large it is: it is written into it. */
const scriptOf = (file: string, installed: readonly TreeFile[]): Buffer =>
  Buffer.from(readFileSync(file, 'utf8').replace('@INSTALLED_KB@', String(kilobytesOf(installed))));

/** The same unit for many processes, each on the port that it is called by. */
function copiesOf(unit: string): Buffer {
  const one = readFileSync(unit, 'utf8');
  const many = one
    .replace('--role hosted', '--role hosted --http-port %i')
    .replace('hosted instance', 'hosted instance on port %i');
  if (many.split('%i').length !== 3) throw new Error(`${unit} is not what it was: no port to put in`);
  return Buffer.from(many);
}

function controlFile(arch: Arch, version: string, installed: readonly TreeFile[]): Buffer {
  return Buffer.from(
    [
      `Package: ${PRODUCT}`,
      `Version: ${debVersion(version)}`,
      'Section: misc',
      'Priority: optional',
      `Architecture: ${arch}`,
      `Installed-Size: ${kilobytesOf(installed)}`,
      'Maintainer: The makers of the shrimp-farm gateway <support@shrimp-farm.example>',
      'Depends: adduser, libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 9), util-linux',
      'Recommends: systemd, avahi-daemon',
      'Description: Shrimp-farm management that runs from a box at the farm',
      ' Interface, broker of the aerator controllers, schedules and alarms, without the',
      ' internet. The same package serves a hosted instance. Brings its own Node.js.',
      '',
    ].join('\n'),
  );
}

function checkSums(files: readonly TreeFile[]): Buffer {
  const lines = files
    .filter(({ path }) => !path.startsWith('etc/'))
    .map(({ path, from }) => {
      const bytes = typeof from === 'string' ? readFileSync(from) : from;
      return `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`;
    });
  return Buffer.from(lines.join(''));
}
