import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { openBroker } from '#app/control/broker.ts';
import { doJob } from '#operations/backup/do-job.ts';
import { openPty, type Pty } from '#sim/board/open-pty.ts';
import { createSimulatedModem, type SentSms } from '#sim/modem/modem.ts';
import { createSlaves, type SimProbe } from '#sim/probe/modbus-slave.ts';
import { pondAt } from '#sim/probe/models.ts';
import { type StartedProbe, startProbeTcp } from '#sim/probe/run-probe.ts';
import type { SignedUp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import {
  aPage,
  type Console,
  controllerReports,
  holdTime,
  startConsole,
  violationsOn,
} from '#test/console.ts';
import { aFirmwareFarm, anImage, type FirmwareFarm } from '../features/equipment/firmware/a-firmware-farm.ts';

// What a technician sets up at the farm by the console alone: probes, siren, SMS, firmware. Probe, modem and controllers
// are simulated; they speak over real sockets and a pseudo-terminal.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Fewer beats than the program's that still keep the line live. */
const BEAT_MS = 7_500;
/** How a page that waits for something lives on. */
const STEP_MS = 25;
/** After so long without a request a page has all it asks for when it is opened. */
const QUIET_MS = 600;
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click();
/** In the dialog that is open. */
const answer = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const field = (page: Page, label: string) => page.getByRole('dialog').getByLabel(label, { exact: true });

describe('a technician at the farm', () => {
  let console_: Console;
  let pty: Pty;
  let modem: ReturnType<typeof createSimulatedModem>;
  let line: StartedProbe;
  const stick = mkdtempSync(join(tmpdir(), 'stick-'));
  const sent: SentSms[] = [];
  let paper = '';
  const ends: (() => unknown)[] = [];
  const probe: SimProbe = { unitId: 3, model: 'in-situ-odo', fixed: {}, faults: new Set() };

  beforeAll(async () => {
    pty = await openPty();
    const write = pty.write;
    modem = createSimulatedModem({ write, sent: (sms) => void sent.push(sms), pin: null, fault: null });
    pty.onData(modem.feed);
    const water = { ...pondAt(12, () => 0.5), dissolved_oxygen: 6.2, temperature: 28.4 };
    [line, console_] = await Promise.all([
      startProbeTcp(createSlaves({ pond: () => water }, [probe]), { port: 0, framing: 'tcp' }),
      startConsole({ args: ['--trust-clock', 'yes', '--modem', pty.path, '--backup-dir', stick] }),
    ]);
    console_.app.backupDesk?.attach(doJob);
  });
  afterEach(() => console_.closePages());
  afterAll(async () => {
    const { app } = console_;
    await app.technicians?.simulator.stop();
    for (const end of ends) await end();
    await app.technicians?.probes.stop();
    await app.delivery.stop(Promise.resolve());
    await console_.close();
    await Promise.all([line.close(), pty.close()]);
    rmSync(stick, { recursive: true, force: true });
  });

  /** Regular readings, ten seconds apart. */
  async function readTimes(times: number): Promise<void> {
    for (let reading = 0; reading < times; reading += 1) {
      console_.app.clock.advance(10 * SECOND);
      await console_.app.technicians?.probes.watch.pollDue();
    }
  }

  it('finds a probe on its bus, sees that its values make sense, and hangs it into a pond', async () => {
    const page = await console_.open('/sistema/sondas');
    await press(page, 'Novo barramento');
    await field(page, 'Ligação').selectOption('tcp');
    await field(page, 'Endereço na rede da fazenda').fill('127.0.0.1');
    await field(page, 'Porta TCP').fill(String(line.at));
    await answer(page, 'Salvar');
    const bus = page.locator('[data-bus="Barramento 1"]');
    await bus.getByLabel('até').fill('4');
    await bus.getByRole('button', { name: 'Procurar sondas' }).click();
    await bus.locator('[data-scan=done]').waitFor();
    expect(await bus.locator('[data-found]').allInnerTexts()).toEqual([
      expect.stringContaining('endereço 3'),
    ]);
    await press(page, 'Pôr num viveiro');
    await field(page, 'Modelo').selectOption('in-situ-odo');
    await answer(page, 'Ler agora');
    await page.getByRole('dialog').locator('[data-parameter=dissolved_oxygen]').waitFor();
    expect(await page.getByRole('dialog').locator('[data-parameter=dissolved_oxygen]').innerText()).toMatch(
      /6,2\smg\/L/,
    );
    await answer(page, 'Salvar');
    await page.waitForSelector('[data-probe]');
    await readTimes(4);
    const card = page.locator('[data-probe="Sonda 1"][data-quality=good]');
    await card.waitFor();
    expect(await card.innerText()).toMatch(/V-01 · Sonda 1[\s\S]*boa[\s\S]*28,4\s°C/);
    await card.getByRole('button', { name: 'Foi calibrada' }).click();
    await answer(page, 'Salvar');
    await card.getByText('calibrada em 02/03/2026').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('is told why a probe is not believed, and what a hand does next', async () => {
    probe.faults = new Set(['nan']);
    await readTimes(1);
    const page = await console_.open('/sistema/sondas', { width: 360, height: 740 });
    const faulty = page.locator('[data-probe][data-quality=fault]');
    await faulty.waitFor();
    expect(await faulty.innerText()).toContain('O que fazer: Limpe a ponta');
    probe.faults = new Set(['silent']);
    await readTimes(8);
    const silent = page.locator('[data-probe][data-trouble=NO_ANSWER]');
    await silent.waitFor();
    expect(await silent.innerText()).toMatch(/O endereço 3 não responde[\s\S]*O que fazer: Verifique/);
    // what it said long ago does not stand there as if it were now
    expect(await silent.innerText()).not.toContain('28,4');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('makes a siren of a control point, tests it, quiets it, and answers its alarm', async () => {
    const { app, owner, farm } = console_;
    const page = await console_.open('/sistema/sirene');
    // CP-01 and CP-02 air ponds: only the third is offered
    await expect.poll(() => page.getByLabel('Ponto de controle').innerText()).toBe('CP-03');
    await press(page, 'Marcar como sirene');
    expect(await page.getByRole('dialog').innerText()).toContain('um motor ligado a este ponto para agora');
    await answer(page, 'Marcar como sirene');
    await page.waitForSelector('[data-siren=quiet]');
    await controllerReports(app, owner, 'CP-03', 'OFF');
    app.control.tellSirens();
    await page.locator('[data-siren-point="CP-03"]', { hasText: 'com sinal' }).waitFor();
    await press(page, 'Testar por 5 segundos');
    await page.waitForSelector('[data-siren=testing]');
    app.clock.advance(6 * SECOND);
    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.pondIds[1], dissolved_oxygen: 1.4 },
    });
    app.control.tellSirens();
    await page.waitForSelector('[data-siren=sounding]');
    await press(page, 'Calar');
    await page.waitForSelector('[data-siren=hushed]');
    await expect.poll(() => page.innerText('[data-siren]')).toMatch(/Calada por uma pessoa[\s\S]*OD baixo/);
    await page.locator('[data-siren]').getByRole('button', { name: 'Reconhecer' }).click();
    await page.waitForSelector('[data-siren=quiet]');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('gives an own number, confirms it by the code that came, and sends a test without the internet', async () => {
    const { app } = console_;
    const page = await console_.open('/sistema/canais', { width: 360, height: 740 });
    await press(page, 'Novo canal');
    await field(page, 'Tipo').selectOption('SMS');
    await field(page, 'Número do celular').fill('+55 (85) 91234-5678');
    await answer(page, 'Salvar');
    await page.getByText('Digite o código que chegou por SMS.').waitFor();
    await app.delivery.work();
    await page.getByLabel('Código').fill(sent[0]?.text.slice(0, 9) ?? '');
    await press(page, 'Confirmar');
    await page.waitForSelector('[data-channel=OK]');
    await page.goto(`${app.base}/sistema/sirene`);
    await press(page, 'Enviar SMS de teste');
    await page.getByText('SMS de teste a caminho.').waitFor();
    await app.delivery.work();
    expect(sent.map(({ number }) => number)).toEqual(['+5585912345678', '+5585912345678']);
    modem.setFault('no-network');
    await app.delivery.modem?.look();
    await page.waitForSelector('[data-modem=no_network]');
    expect(await page.innerText('[data-modem]')).toMatch(/sem rede[\s\S]*O que fazer: Veja a antena/);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('reads in the own language what is wrong with the box and with a silent controller', async () => {
    const { app } = console_;
    const page = await console_.open('/sistema/diagnostico', { width: 360, height: 740 });
    const modemFinding = page.locator('[data-finding=modem_no_network]');
    await modemFinding.waitFor();
    expect(await modemFinding.innerText()).toMatch(/Agora:[\s\S]*O que fazer:/);
    await page.getByText(/^Em ordem \(\d+\)/).click();
    expect(await violationsOn(page)).toEqual([]);
    app.clock.advance(2 * MINUTE);
    const siren = app.control.registry.byDeviceId('aer-CP-03')[0];
    await page.goto(`${app.base}/sistema/dispositivos/${siren?.row.id}`);
    await page.getByText(/^há .* · sem sinal$/).waitFor();
  });

  it('makes the recovery key, prints it once, makes a backup and proves that the paper opens it', async () => {
    const page = await console_.open('/sistema/backup', { width: 360, height: 740 });
    await page.getByText('Falta a chave de recuperação: sem ela').waitFor();
    await page.getByLabel('Sua senha').fill('outra-senha');
    await press(page, 'Fazer a chave');
    await page.getByText('A senha não confere.').waitFor();
    await page.getByLabel('Sua senha').fill('camarao-123');
    await press(page, 'Fazer a chave');
    const sheet = page.locator('[data-card=sheet]');
    await sheet.waitFor();
    paper = await sheet.locator('.copy-text code').innerText();
    expect(paper).toMatch(/^([0-9A-Z]{4}-){7}[0-9A-Z]{4}$/);
    expect((await sheet.locator('.recovery-groups li').allInnerTexts()).join('-')).toBe(paper);
    expect(await violationsOn(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await sheet.locator('.recovery-groups').isVisible()).toBe(true);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await page.emulateMedia({ media: 'screen' });
    expect(await page.getByRole('button', { name: 'Pronto' }).isDisabled()).toBe(true);
    await page.getByLabel('Guardei a chave fora desta tela').check();
    await press(page, 'Pronto');
    await page.locator('[data-card=key]').waitFor();
    expect(await page.content()).not.toContain(paper);
    await press(page, 'Preparar o pen drive e fazer backup');
    await answer(page, 'Preparar o pen drive e fazer backup');
    await page.locator('[data-card=stand] [data-work=done]').waitFor();
    await page.getByText('Os backups estão em ordem.').waitFor();
    await page
      .locator('[data-card=key]')
      .getByLabel('Chave do papel')
      .fill(`${paper.slice(0, -1)}${paper.endsWith('0') ? '1' : '0'}`);
    await press(page, 'Provar a chave');
    await page.getByText('Uma letra da chave está errada').waitFor();
    await page.locator('[data-card=key]').getByLabel('Chave do papel').fill(paper);
    await press(page, 'Provar a chave');
    await page.locator('[data-card=key] [data-work=done]').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('opens a backup to see what would change, with another key after a wrong one, and closes it again', async () => {
    const { app, owner, farm } = console_;
    await app.call('POST', '/ponds/', {
      token: owner.token,
      body: { farm_id: farm.id, cod: 'V-NOVO', size_m2: 900, depth_m: 1, pond_type: 'NURSERY' },
    });
    const page = await console_.open('/sistema/backup');
    const card = page.locator('[data-card=restore]');
    await card.getByLabel('Sua senha').fill('camarao-123');
    await card.getByLabel('Chave do papel').fill(newRecoveryKey().text);
    await press(page, 'Abrir e comparar');
    await card.getByText('mas é de outro papel').waitFor();
    await card.getByLabel('Chave do papel').fill(paper);
    await press(page, 'Abrir e comparar');
    const ponds = card.locator('[data-what=ponds]');
    await ponds.waitFor();
    expect(await ponds.innerText()).toMatch(/Viveiros\s+4\s+3\s+1 a menos/);
    // nothing here would start it anew: the command for the box
    expect(await card.innerText()).toContain(`restore --from ${stick}/farm-`);
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Fechar sem restaurar');
    await page.getByRole('button', { name: 'Abrir e comparar' }).waitFor();
  });

  it('brings a backup from a phone, watches it go, breaks it off, and opens it by its key', async () => {
    const page = await console_.open('/sistema/backup', { width: 360, height: 740 });
    const upload = page.locator('[data-upload]');
    const choose = (name: string, buffer: Buffer) =>
      upload.getByLabel('Arquivo de backup').setInputFiles({ name, mimeType: '', buffer });
    await choose('foto.jpg', Buffer.alloc(3_000, 7));
    await press(page, 'Enviar o arquivo');
    await page.getByText('Este arquivo não é um backup deste programa').waitFor();
    const [name = ''] = readdirSync(stick).filter((one) => one.endsWith('.backup'));
    const file = readFileSync(join(stick, name));
    // large enough for several pieces, of which the second does not come through
    await choose(name, Buffer.concat([file, Buffer.alloc(2_500_000)]));
    const { promise: arrives, resolve: goOn } = Promise.withResolvers<void>();
    const second = (url: URL) => url.pathname.includes('/backup/upload/') && url.search === '?offset=1048576';
    await page.route(second, async (route) => {
      await arrives;
      await route.abort();
    });
    await press(page, 'Enviar o arquivo');
    const percent = Math.floor((100 * 1_048_576) / (file.length + 2_500_000));
    await upload.getByText(`Enviando: ${percent} %`).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Cancelar o envio');
    await page.waitForSelector('[data-upload=rest]');
    goOn();
    await press(page, 'Enviar o arquivo');
    await page.getByText('A ligação com o gateway caiu no meio do envio').waitFor();
    await page.unroute(second);
    await choose(name, file);
    await press(page, 'Enviar o arquivo');
    await page.getByText('O arquivo chegou inteiro. Agora a chave.').waitFor();
    const card = page.locator('[data-card=restore]');
    await card.locator('[data-uploaded]').waitFor();
    expect(await card.getByLabel('Qual backup').inputValue()).toMatch(/^uploaded-/);
    await card.getByLabel('Sua senha').fill('camarao-123');
    await card.getByLabel('Chave do papel').fill(paper);
    await press(page, 'Abrir e comparar');
    await card.locator('[data-what=ponds]').waitFor();
    expect(await card.innerText()).toMatch(/restore --from \S+\/uploaded\/uploaded-/);
    await press(page, 'Fechar sem restaurar');
    await press(page, 'Remover o arquivo enviado');
    await answer(page, 'Remover o arquivo enviado');
    await card.locator('[data-uploaded]').waitFor({ state: 'detached' });
  });

  it('asks nothing for ten minutes on which nothing happens, and sees within two seconds what does', async () => {
    const { app, owner, farm } = console_;
    /** The siren is long silent: its silence is no news of these minutes. */
    app.clock.advance(5 * MINUTE);
    await everySecond();
    const virtual = ['bancada/simulador', `bancada/sombra/${farm.pointId}`];
    const paths = [
      'sirene',
      'sondas',
      'firmware',
      'dispositivos',
      `dispositivos/${farm.pointId}`,
      'bancada',
      'backup',
    ].concat(virtual);
    const pages = await Promise.all(
      [...paths, 'sincronia'].map(async (path) => {
        const page = await console_.open('/sistema', { isTimed: true });
        await page.waitForSelector('.shell[data-link="live"]');
        const open = new Set<unknown>();
        let lastAt = performance.now();
        const note = (change: (request: unknown) => void) => (request: unknown) => {
          change(request);
          lastAt = performance.now();
        };
        page.on(
          'request',
          note((request) => void open.add(request)),
        );
        for (const end of ['requestfinished', 'requestfailed'] as const)
          page.on(
            end as 'request',
            note((request) => void open.delete(request)),
          );
        await page.goto(`${app.base}/sistema/${path}`);
        await page.waitForSelector('.shell[data-link="live"] main h1');
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
        await expect
          .poll(async () => {
            // what it told until now has been heard then, however long this process stood still
            await page.evaluate('0');
            // the stream stays
            return open.size === 1 ? performance.now() - lastAt : 0;
          })
          .toBeGreaterThan(QUIET_MS);
        await holdTime(page);
        const devtools = await page.context().newCDPSession(page);
        await devtools.send('Network.enable');
        const asked: string[] = [];
        page.on('request', (request) => void asked.push(`${path}: ${request.method()} ${request.url()}`));
        return { page, devtools, asked };
      }),
    );
    for (let passed = 0; passed < 10 * MINUTE; passed += BEAT_MS) {
      app.clock.advance(BEAT_MS);
      await everySecond();
      const heard = pages.map(
        ({ devtools }) => new Promise((resolve) => devtools.once('Network.dataReceived', resolve)),
      );
      app.events.beat();
      await Promise.all(heard);
      await Promise.all(pages.map(({ page }) => page.clock.fastForward(BEAT_MS)));
    }
    expect(pages.flatMap(({ asked }) => asked)).toEqual([]);

    /** Within two seconds of the page's own time, however long the machine takes. */
    const sees = async (path: string, selector: string) => {
      const page = pages[paths.indexOf(path)]?.page;
      let leftMs = 2 * SECOND;
      await expect
        .poll(
          async () => {
            if (leftMs > 0) await page?.clock.runFor(STEP_MS);
            leftMs -= STEP_MS;
            return page?.locator('main').locator(selector).isVisible();
          },
          { message: path },
        )
        .toBe(true);
    };
    const { token } = owner;
    await app.call('POST', '/adoption/window', { token, body: { minutes: 5 } });
    await sees('dispositivos', '[data-window=open]');
    await app.call('POST', `/farms/${farm.id}/siren/test`, { token, body: { seconds: 5 } });
    await everySecond();
    await sees('sirene', '[data-siren=testing]');
    probe.faults = new Set();
    await readTimes(1);
    await sees('sondas', '[data-probe][data-quality=good]');
    await controllerReports(app, owner, 'CP-01', 'ON');
    await sees(`bancada/sombra/${farm.pointId}`, '[data-message="in heartbeat"] >> text=current_status: ON');
    await app.call('POST', '/simulator/controllers', { token, body: { farm_id: farm.id, count: 2 } });
    await sees('bancada/simulador', '[data-virtual="SIM-02"]');
  });

  it('plays with virtual controllers, which are marked wherever they are seen, and takes them away', async () => {
    const { app, owner, farm } = console_;
    const broker = await openBroker(app.config, app, createServer());
    ends.push(() => broker.stop());
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    app.control.attach(broker.link);
    app.technicians?.simulator.attach({ httpBase: app.base, mqttUrl: `mqtt://127.0.0.1:${port}`, speed: 50 });
    const page = await console_.open('/sistema/bancada');
    await page.getByRole('link', { name: /^Simulador/ }).click();
    await page.waitForSelector('[data-simulator=stopped]');
    await press(page, 'Ligar o simulador');
    await page.getByText('2 de 2 conectados').waitFor();
    await press(page, 'Estragar: SIM-02');
    await field(page, 'Relé').selectOption('OFF');
    await field(page, 'Atraso de cada mensagem').fill('10001');
    await page.getByText('No máximo 10.000.').waitFor();
    await field(page, 'Atraso de cada mensagem').fill('20');
    await field(page, 'Relógio').selectOption('behind');
    await field(page, 'Diferença do relógio').fill('60');
    await answer(page, 'Aplicar');
    const card = page.locator('[data-virtual="SIM-02"]');
    await card.getByText('atraso de 20 ms · relógio atrasado 60 s · relé preso em desligado').waitFor();
    expect(await violationsOn(page)).toEqual([]);

    const points = (await app.call('GET', `/control-points/?farm_id=${farm.id}`, { token: owner.token }))
      .body;
    const stuck = (points as { id: string; cod: string }[]).find(({ cod }) => cod === 'SIM-02')?.id ?? '';
    const { token } = owner;
    await app.call('PUT', `/ponds/${farm.pondIds[2]}`, { token, body: { control_point_id: stuck } });
    await app.call('POST', `/control-points/${stuck}/turn-on`, { token, body: {} });
    await card.getByRole('link', { name: 'Sombra: SIM-02' }).click();
    await page.waitForSelector('[data-shadow="SIM-02"] tr[data-same=false] >> text=diferente');
    await page.waitForSelector('[data-message="out desired"]');
    expect(await page.innerText('main')).not.toMatch(/[0-9a-f]{40}/);
    expect(await violationsOn(page)).toEqual([]);

    for (let passed = 0; passed < 2 * MINUTE; passed += 2 * SECOND) {
      app.clock.advance(2 * SECOND);
      await app.watches.tick();
    }
    const marked: [path: string, selector: string][] = [
      ['/alarmes', '.alarm-row[data-simulated=SIMULADO] >> text=Nada nos viveiros'],
      ['/bem-vindo/controlador', 'li:has-text("SIM-02") .simulated-mark'],
      ['/', '[data-pond="V-03"][data-simulated] .simulated-mark'],
      ['/painel', '[data-pond="V-03"][data-simulated] .simulated-mark'],
      ['/viveiros/V-03', '[data-simulated] .simulated-mark'],
      ['/viveiros/V-03/aeracao', '[data-point="SIM-02"][data-simulated] .simulated-mark'],
      ['/aeracao', '[data-point="SIM-02"][data-simulated] .simulated-mark'],
      ['/aeracao/agenda', 'h2:has-text("SIM-02") .simulated-mark'],
      [`/aeracao/${stuck}`, 'h1:has-text("SIM-02") + .simulated-mark'],
      ['/sistema/dispositivos', '[data-point="SIM-02"] .simulated-mark'],
      [`/sistema/dispositivos/${stuck}`, '[data-simulated] .simulated-mark'],
    ];
    for (const [path, selector] of marked) {
      await page.goto(`${app.base}${path}`);
      await page.locator(selector).first().waitFor();
    }
    expect(await page.locator('[data-point="CP-01"] .simulated-mark').count()).toBe(0);

    await page.goto(`${app.base}/sistema/bancada/simulador`);
    await press(page, 'Parar o simulador');
    await page.waitForSelector('[data-simulator=stopped]');
    await press(page, 'Apagar todos');
    await answer(page, 'Apagar todos');
    await page.getByText('Esta fazenda não tem controladores virtuais').waitFor();
  });

  /** What the timers of the program look at by themselves. */
  async function everySecond(): Promise<void> {
    const { app } = console_;
    app.control.tellSirens();
    app.technicians?.adoption.look();
    await app.technicians?.firmware.look();
    await app.pairing?.look();
  }

  it('deletes the farm only once a backup of it was read back, and is told where that lies and how it comes back', async () => {
    const { app, owner, farm } = console_;
    const status = async () => (await app.call('GET', `/farms/${farm.id}`, { token: owner.token })).status;
    const page = await console_.open('/sistema/fazenda');
    const asks = async () => {
      await press(page, 'Apagar fazenda');
      const dialog = page.getByRole('dialog');
      await dialog.locator('[data-safe=first]', { hasText: `30 dias em ${stick}` }).waitFor();
      await dialog.getByLabel('Para confirmar, escreva Norte').fill('Norte');
      await dialog.getByLabel('Sua senha').fill('camarao-123');
    };
    // the stick is pulled after the question came
    await asks();
    rmSync(join(stick, 'farm-backups-here.txt'));
    await answer(page, 'Apagar fazenda');
    await page.getByRole('dialog').getByText('O backup não deu certo, e a fazenda não foi apagada').waitFor();
    await answer(page, 'Cancelar');
    expect(await status()).toBe(200);
    writeFileSync(join(stick, 'farm-backups-here.txt'), '');
    await page.reload();
    await asks();
    await answer(page, 'Apagar fazenda');
    const gone = page.locator('[data-gone]');
    await gone.getByText('Norte foi apagada.').waitFor();
    expect(await status()).toBe(404);
    const [kept = ''] = readdirSync(stick).filter((one) => one.endsWith('.keep'));
    expect(await gone.innerText()).toContain(`${kept.slice(0, -'.keep'.length)}, em ${stick}`);
    expect(await gone.innerText()).toContain('Sistema › Backup › Restaurar');
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(page.url());
    await press(page, 'Trazer de volta');
    await answer(page, 'Trazer de volta');
    await page.getByText('Norte está de volta. Confira a aeração.').waitFor();
    expect(await status()).toBe(200);
    await page.getByRole('button', { name: 'Apagar fazenda' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});

describe('firmware over the air', () => {
  let farm: FirmwareFarm;
  let browser: Browser;
  let owner: SignedUp;
  let beat: NodeJS.Timeout;

  beforeAll(async () => {
    [farm, browser] = await Promise.all([aFirmwareFarm(), launchChromium()]);
    beat = setInterval(() => farm.app.events.beat(), 2 * SECOND);
    const me = await farm.call('GET', '/users/me');
    owner = { token: farm.token, user: me.body as SignedUp['user'] };
  });
  afterAll(async () => {
    clearInterval(beat);
    await browser.close();
    await farm.sendHome();
    await farm.close();
  });

  it('is sent to the gateway, held, let go on, and stops by itself at a version that crashes', async () => {
    const fleet = await farm.controllers(2);
    const { page } = await aPage(browser, { as: owner, width: 360, height: 740 });
    await page.goto(`${farm.app.base}/sistema/firmware`);
    const file = page.getByLabel('Arquivo de firmware (.sfw)');
    const send = async (buffer: Buffer) => {
      await file.setInputFiles({ name: 'aerador.sfw', mimeType: '', buffer });
      await press(page, 'Enviar');
    };
    await send(Buffer.from('não é firmware'));
    await page.getByText('Baixe-o de novo do fabricante').waitFor();
    await send(Buffer.from(farm.publisher.sign('1.2.0', { image: anImage('sim:crash;') })));
    await page.waitForSelector('[data-firmware="1.2.0"]');
    await press(page, 'Atualizar controladores');
    await page.getByRole('dialog').getByLabel('Só num horário do dia').uncheck();
    await answer(page, 'Começar');
    const rollout = page.locator('[data-rollout]');
    await press(page, 'Pausar');
    await page.waitForSelector('[data-rollout=paused]');
    await farm.pass(20);
    expect(fleet.versions()).toEqual(['1.0.0', '1.0.0']);
    await press(page, 'Continuar');
    await page.waitForSelector('[data-rollout=running]');
    // the farm's minutes run faster than a page looks: first it is so, then it is seen
    await farm.until(async () => (await farm.newestRollout()).state === 'stopped');
    await page.waitForSelector('[data-rollout=stopped]');
    await page.waitForSelector('[data-target][data-state=rolled_back]');
    expect(await rollout.innerText()).toMatch(/parou sozinha[\s\S]*1 com falha[\s\S]*travou ao iniciar/);
    expect(fleet.versions()).toEqual(['1.0.0', '1.0.0']);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('is cancelled by hand: who was not asked keeps its version', async () => {
    const { page } = await aPage(browser, { as: owner });
    const fleet = { points: [] as never[] };
    await farm.sendHome();
    await farm.begin(fleet, {
      firmware_id: await farm.stored('1.3.0'),
      control_point_ids: undefined,
    });
    await page.goto(`${farm.app.base}/sistema/firmware`);
    const running = page.locator('[data-rollout=running]');
    await running.getByRole('button', { name: 'Cancelar atualização' }).click();
    await answer(page, 'Cancelar atualização');
    await page.waitForSelector('[data-rollout=cancelled]');
    expect(await page.innerText('[data-rollout=cancelled]')).toContain('2 de fora');
    expect(await violationsOn(page)).toEqual([]);
  });
});
