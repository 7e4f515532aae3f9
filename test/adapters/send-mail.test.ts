import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { mailSender } from '#adapters/delivery/send-mail.ts';
import { smtpReceiver } from '#test/receivers.ts';

const LETTER = { id: 'letter-1', to: 'ana@farm.test', subject: 'code 1234', text: 'Your code is 1234.' };
const left: (() => unknown)[] = [];

afterEach(async () => {
  // what calls before what is called
  for (const end of left.splice(0).reverse()) await end();
});

/** Answers each line of a client as `answer` says, and keeps what was heard. */
async function plainServer(answer: (line: string, socket: Socket) => void) {
  const heard: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.write('220 mail.test\r\n');
    socket.on('data', (bytes) => {
      for (const line of bytes.toString('latin1').split('\r\n').filter(Boolean)) {
        heard.push(line);
        answer(line, socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  left.push(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { heard, open, port: (server.address() as AddressInfo).port };
}

function sender(url: string, mailWithinMs?: number) {
  const mail = mailSender({
    url,
    from: 'farm@farm.test',
    ...(mailWithinMs === undefined ? {} : { mailWithinMs }),
  });
  left.push(() => mail.close());
  return mail;
}

describe('a mail server', () => {
  it('that offers no encryption is not told the password of the farm', async () => {
    const server = await plainServer((line, socket) =>
      socket.write(line.startsWith('EHLO') ? '250-mail.test\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n'),
    );
    const mail = sender(`smtp://farm:mail-password@127.0.0.1:${server.port}`);
    expect((await mail.sendLetter(LETTER)).is).toBe('retry');
    expect(server.heard.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
    expect(server.heard.join()).not.toContain(Buffer.from('\0farm\0mail-password').toString('base64'));
  });

  it('of the own network is told it in the clear where its address says so', async () => {
    const receiver = await smtpReceiver();
    left.push(receiver.close);
    const mail = sender(receiver.url);
    expect(await mail.sendLetter(LETTER)).toEqual({ is: 'sent' });
    expect(receiver.mails.map(({ to }) => to)).toEqual(['ana@farm.test']);
  });

  it('that asks for no password is written to as it is', async () => {
    const receiver = await smtpReceiver();
    left.push(receiver.close);
    const { host } = new URL(receiver.url.replace('smtp:', 'http:'));
    expect(await sender(`smtp://${host}`).sendLetter(LETTER)).toEqual({ is: 'sent' });
  });

  it('whose answer never ends is left after the time of one mail, and tried again', async () => {
    const server = await plainServer((line, socket) => {
      if (line.startsWith('EHLO')) return socket.write('250 mail.test\r\n');
      const drip = setInterval(() => socket.write('250-a\r\n'), 50);
      return socket.on('close', () => clearInterval(drip));
    });
    const mail = sender(`smtp://127.0.0.1:${server.port}`, 1000);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => mail.sendLetter(LETTER)));
    expect(outcomes.map(({ is }) => is)).toEqual(['retry', 'retry', 'retry', 'retry']);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('that hangs up in the middle is tried again', async () => {
    const server = await plainServer((line, socket) =>
      line.startsWith('EHLO') ? socket.write('250 mail.test\r\n') : socket.destroy(),
    );
    expect((await sender(`smtp://127.0.0.1:${server.port}`).sendLetter(LETTER)).is).toBe('retry');
  });
});
