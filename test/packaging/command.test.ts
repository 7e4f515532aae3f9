import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineTrouble, startMachine } from './a-machine.ts';

// The command of a box as root calls it, with a program in the place of the gateway's that tells how it was called.

const BASE = '/usr/lib/shrimp-farm-gateway';
const DATA = '/var/lib/shrimp-farm-gateway';
const TELLS = `#!/bin/sh
shift 3
echo "as $(id -un) in $(id -Gn), terminal $(cut -d ' ' -f 7 /proc/$$/stat)"
for word; do
  echo "> $word"
  file=\${word#--*=}
  file=\${file%@*}
  [ ! -f "$file" ] || { printf '= '; cat "$file"; }
  [ "$option" != --backup ] || echo flash > "$word"
  option=$word
done
[ "$option" != --waits ] || { trap 'kill $!; echo called off; exit 130' INT; sleep 120 & echo waits >&2; wait; }
`;

const trouble = machineTrouble();
describe.skipIf(trouble !== null)(
  `called by root, the command of a box (skipped: ${trouble ?? 'no'})`,
  () => {
    let machine: Awaited<ReturnType<typeof startMachine>>;
    beforeAll(async () => {
      machine = await startMachine();
      machine.sure(
        `adduser --quiet --system --group --home ${DATA} shrimp-farm && groupadd -f systemd-journal && install -d -m 0700 /root/desk/a /root/desk/b && chmod 0700 /root`,
      );
      machine.put(`${BASE}/bin/node`, TELLS, '755');
      machine.bring('packaging/command');
      machine.sure(
        'install -m 0755 /srv/command /usr/bin/shrimp-farm-gateway; cd /root/desk; echo A > a/x.bin; echo B > b/x.bin; echo id > id.json; echo keys > keys.pem',
      );
    });
    afterAll(() => machine?.close());
    const at = (command: string) => machine.run(`cd /root/desk && ${command}`);

    it('takes the files of the bench from where root stands, each its own, and leaves the flash of a board there', () => {
      const { code, said } = at(
        'shrimp-farm-gateway bench-tool flash --file a/x.bin@0x1000 --file=b/x.bin@0x2000 --identity id.json --firmware-keys keys.pem --backup before.bin',
      );
      expect([code, said.match(/^= .*/gm)]).toEqual([0, ['= A', '= B', '= id', '= keys']]);
      expect(said).toMatch(/^> \/\S+\/x\.bin@0x1000$/m);
      expect(said).toContain('> /root/desk/before.bin\n');
      expect(machine.sure('cat /root/desk/before.bin; stat -c "%U %a" /root/desk/before.bin')).toBe(
        'flash\nroot 600\n',
      );
      expect(machine.sure(`ls ${DATA}; ls /var/tmp | grep shrimp-farm || true`)).toBe('');
    });

    it('names every other file of every command as seen from where root stands', () => {
      for (const said of [
        'bench-tool monitor --save log.txt',
        'bench-tool batch --to pallet',
        'backup --to pallet',
        'doctor --backup-dir stick --data farm',
      ])
        expect(
          at(`shrimp-farm-gateway ${said}`)
            .said.match(/^> [^-]\S*$/gm)
            ?.slice(1),
        ).toEqual(said.match(/(?<=--\S+ )\S+/g)?.map((name) => `> /root/desk/${name}`));
    });

    it('lends the journal to the doctor alone, and its terminal to nobody', () => {
      const inTerminal = (command: string) =>
        at(`script -qec 'shrimp-farm-gateway ${command}' /dev/null`).said.split('\r\n')[0];
      expect(inTerminal('admin list-users')).toMatch(
        /^as shrimp-farm in (?!.*systemd-journal).*, terminal 0$/,
      );
      expect(inTerminal('doctor')).toMatch(/^as shrimp-farm in .*systemd-journal.*, terminal 0$/);
    });

    it('hands on what calls it off, and brings what there is by then', () => {
      // what a shell starts beside itself is deaf to it
      const call = 'env --default-signal=INT shrimp-farm-gateway bench-tool flash --backup cut.bin --waits';
      const { said } = machine.run(
        `cd /root/desk; ${call} 2> waits & cd /root/desk; timeout 60 sh -c 'until grep -qs waits waits; do sleep 0.02; done'; kill -INT $!; wait $!; echo "code $?"`,
      );
      expect(said).toMatch(/called off\ncode 130\n$/);
      expect(machine.sure('cat /root/desk/cut.bin')).toBe('flash\n');
    });
  },
);
