import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '#test/gateway-process.ts';

// A machine of Debian to install on: this one as it is, with everything that is written going to memory, in name spaces
// of its own. What it has not is systemd; a few lines play the part of it that counts here.

/** What is switched on is really so, by links; what runs is a file in /run/units, and the gateway a loop of its own. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> /var/log/systemctl.log
action=$1; shift
[ "\${1:-}" != --quiet ] || shift
units=/run/units
mkdir -p $units
start() {
  [ ! -e "$units/$1" ] || return 0
  touch "$units/$1"
  [ "$1" = shrimp-farm-gateway.service ] || return 0
  install -d -o shrimp-farm -g shrimp-farm /var/cache/shrimp-farm-gateway
  [ ! -e /etc/shrimp-farm-gateway/gateway.env ] || { set -a; . /etc/shrimp-farm-gateway/gateway.env; set +a; }
  export DATA_DIR=/var/lib/shrimp-farm-gateway NODE_COMPILE_CACHE=/var/cache/shrimp-farm-gateway
  setsid sh -c 'while [ -e /run/units/shrimp-farm-gateway.service ]; do
    setpriv --reuid shrimp-farm --regid shrimp-farm --init-groups --no-new-privs \\
      /usr/lib/shrimp-farm-gateway/bin/node /usr/lib/shrimp-farm-gateway/gateway/dist/launch.js >> /var/log/gateway.log 2>&1 &
    echo $! > /run/gateway.pid; wait $!; sleep 1
  done' > /dev/null 2>&1 &
}
again() {
  [ ! -e "/run/fails/$1" ] || return 1
  [ "$1" != shrimp-farm-gateway.service ] || kill "$(cat /run/gateway.pid)"
}
case "$action" in
  enable | disable | is-enabled) SYSTEMD_OFFLINE=1 exec /usr/bin/systemctl "$action" --quiet "$@" ;;
  is-active) [ -e "$units/$1" ] ;;
  list-units) cd $units; for unit in shrimp-farm-hosted*; do [ ! -e "$unit" ] || echo "$unit loaded active running x"; done ;;
  start) start "$1" ;;
  restart) if [ -e "$units/$1" ]; then again "$1"; else start "$1"; fi ;;
  try-restart) [ ! -e "$units/$1" ] || again "$1" ;;
  stop)
    [ ! -e $units/shrimp-farm-gateway.service ] || kill "$(cat /run/gateway.pid)"
    rm -f $units/*
    ;;
esac
`;

/** Why no such machine can be made here; null: it can. */
export function machineTrouble(): string | null {
  if (process.platform !== 'linux') return 'only Linux has chroot and overlays';
  if (process.getuid?.() !== 0) return 'only root may mount';
  if (spawnSync('dpkg', ['--version']).status !== 0) return 'dpkg is not installed';
  if (spawnSync('adduser', ['--version']).status !== 0) return 'adduser is not installed';
  const tried = spawnSync('unshare', ['-m', 'sh', '-c', overlayAt('/mnt')]);
  return tried.status === 0 ? null : 'overlays cannot be mounted';
}

const overlayAt = (at: string) =>
  `mount -t tmpfs tmpfs ${at} && mkdir ${at}/upper ${at}/work ${at}/root && ` +
  `mount -t overlay overlay -o lowerdir=/,upperdir=${at}/upper,workdir=${at}/work ${at}/root`;

export async function startMachine() {
  const at = mkdtempSync(join(tmpdir(), 'machine-'));
  const root = `${at}/root`;
  const made = [
    overlayAt(at),
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    // what is shared there is told apart by processes' numbers, and those are other ones here
    `mount -t tmpfs tmpfs ${root}/dev/shm`,
    `mount -t tmpfs tmpfs ${root}/run`,
    `mkdir -p ${root}/run/systemd/system`,
    'echo up',
    'exec sleep 3600',
  ].join(' && ');
  const holder = spawn('unshare', ['-m', '-p', '-f', '--kill-child', 'sh', '-c', made], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // a test that is killed must not leave it behind
  process.once('exit', () => holder.kill('SIGKILL'));
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const inside = await until(
    () => childOf(holder),
    (pid) => pid !== '',
  );

  /** Runs a command on the machine; answers what it said, and fails with it. */
  function run(command: string, environment: Record<string, string> = {}) {
    const done = spawnSync('nsenter', ['-t', inside, '-m', '-p', 'chroot', root, 'sh', '-c', command], {
      encoding: 'utf8',
      input: '',
      env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...environment },
    });
    return { code: done.status, said: `${done.stdout}${done.stderr}` };
  }

  function sure(command: string, environment?: Record<string, string>): string {
    const { code, said } = run(command, environment);
    if (code !== 0) throw new Error(`${command}: ${code}\n${said}`);
    return said;
  }

  const write = (path: string, bytes: string | Buffer, mode: string) =>
    execFileSync(
      'nsenter',
      [
        '-t',
        inside,
        '-m',
        'sh',
        '-c',
        `mkdir -p "$(dirname "$1")" && cat > "$1" && chmod ${mode} "$1"`,
        'sh',
        join(root, path),
      ],
      { input: bytes },
    );
  write('usr/local/bin/systemctl', SYSTEMCTL, '755');
  return {
    run,
    sure,
    put: write,
    /** What stands in a file there, as it is looked at again and again: no process is started for it. */
    read: (path: string) => readFileSync(`/proc/${inside}/root${root}${path}`, 'utf8'),
    /** Copies a file there; answers its path on the machine. */
    bring(file: string): string {
      write(`srv/${basename(file)}`, readFileSync(file), '644');
      return `/srv/${basename(file)}`;
    },
    close() {
      holder.kill('SIGKILL');
      rmSync(at, { recursive: true, force: true });
    },
  };
}

function childOf({ pid }: ChildProcess): string {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}
