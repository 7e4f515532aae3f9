import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { imageHeader } from '#core/image-header.ts';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Photos on a phone: taken at a pond, kept without a line, sent once there is one, and shown to who may see the farm.

const PHONE = { width: 360, height: 740 };
type Told = Record<string, unknown>;

let farm: Console;
let operator: SignedUp;
let viewer: SignedUp;
let pond: { id: string; cod: string };
beforeAll(async () => {
  farm = await startConsole();
  operator = await farm.app.signUp({ role: 'VIEWER' });
  viewer = await farm.app.signUp({ role: 'VIEWER' });
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, operator, 'OPERATOR');
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, viewer, 'VIEWER');
  const made = await farm.app.call('POST', '/ponds/', {
    token: farm.owner.token,
    body: { farm_id: farm.farm.id, cod: 'F-1', size_m2: 1_000 },
  });
  pond = made.body as typeof pond;
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const photos = async () =>
  (await farm.app.call('GET', `/ponds/${pond.id}/photos`, { token: farm.owner.token })).body as Told[];

/** A picture as a camera gives it: larger than what may leave, and noisy, so that it does not become small by itself. */
async function aCameraPicture(page: Awaited<ReturnType<Console['open']>>): Promise<Buffer> {
  const text = await page.evaluate<string>(`{
    const canvas = document.createElement('canvas');
    canvas.width = 2400;
    canvas.height = 3200;
    const context = canvas.getContext('2d');
    for (let n = 0; n < 6000; n += 1) {
      context.fillStyle = 'rgb(' + ((n * 37) % 256) + ',' + ((n * 91) % 256) + ',' + ((n * 53) % 256) + ')';
      context.fillRect((n * 397) % 2400, (n * 211) % 3200, 60, 40);
    }
    canvas.toDataURL('image/jpeg', 0.95);
  }`);
  return Buffer.from(text.slice(text.indexOf(',') + 1), 'base64');
}

/** The same with a place in it, as cameras write it. */
function withPlace(picture: Buffer): Buffer {
  const notes = Buffer.from('Exif\0\0MM\0*\0\0\0\u0008GPS -3.7319 -38.5267', 'latin1');
  const head = Buffer.from([0xff, 0xe1, 0, notes.length + 2]);
  return Buffer.concat([picture.subarray(0, 2), head, notes, picture.subarray(2)]);
}

it('an operator takes a photo without a line; it waits on the phone, and leaves small and without its place', async () => {
  const page = await farm.open(`/viveiros/${pond.cod}/historico`, { ...PHONE, as: operator });
  const box = page.locator('[data-photos]');
  await box.getByText('Nenhuma foto ainda.').waitFor();
  const camera = withPlace(await aCameraPicture(page));
  expect(imageHeader(camera)).toMatchObject({ width: 2_400, height: 3_200, hasNotes: true });
  // the line is gone
  await page.route('**/api/v1/**/photos', (asked) =>
    asked.request().method() === 'POST' ? asked.abort() : asked.continue(),
  );
  const take = box.getByLabel('Tirar foto');
  expect(await take.getAttribute('capture')).toBe('environment');
  await take.setInputFiles({ name: 'IMG_0001.jpg', mimeType: 'image/jpeg', buffer: camera });
  await box.getByText('guardada neste aparelho, a enviar').waitFor();
  expect(await photos()).toEqual([]);
  // nobody can take it again: one press throws nothing away
  await box.getByRole('button', { name: 'Descartar' }).click();
  await page.getByRole('dialog').getByText('não volta').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar' }).click();
  await box.getByText('guardada neste aparelho, a enviar').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  // through a reload
  await page.unroute('**/api/v1/**/photos');
  await page.reload();
  await box.locator('.photo-thumb img').first().waitFor();
  await expect
    .poll(photos, { timeout: 20_000 })
    .toMatchObject([{ is_here: true, created_by: operator.user.id }]);
  await expect.poll(() => box.locator('[data-waiting]').count()).toBe(0);
  const [sent] = await photos();
  expect(sent).toMatchObject({ height: 1_600, width: 1_200, type: 'image/jpeg' });
  const served = await fetch(`${farm.app.base}/api/v1/photos/${String(sent?.['id'])}/image`, {
    headers: { Authorization: `Bearer ${farm.owner.token}` },
  });
  const bytes = Buffer.from(await served.arrayBuffer());
  expect(bytes.length).toBeLessThanOrEqual(400_000);
  expect(imageHeader(bytes)).toMatchObject({ width: 1_200, height: 1_600, hasNotes: false });
  expect(bytes.includes('GPS')).toBe(false);
}, 120_000);

it('is shown large, turned by keys, noted and deleted with a way back', async () => {
  const page = await farm.open(`/viveiros/${pond.cod}/historico`, { ...PHONE, as: operator });
  const box = page.locator('[data-photos]');
  await box.getByLabel('Escolher fotos').setInputFiles({
    name: 'dois.jpg',
    mimeType: 'image/jpeg',
    buffer: await aCameraPicture(page),
  });
  const thumbs = box.locator('button.photo-thumb');
  await expect.poll(() => thumbs.count(), { timeout: 20_000 }).toBe(2);
  await thumbs.first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('img').waitFor();
  await dialog.getByText('1 de 2').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('ArrowRight');
  await dialog.getByText('2 de 2').waitFor();
  await dialog.getByLabel('Anotação').fill('Espuma na borda');
  await dialog.getByRole('button', { name: 'Salvar anotação' }).click();
  await expect.poll(async () => (await photos()).map(({ note }) => note)).toContain('Espuma na borda');
  await dialog.getByRole('button', { name: 'Excluir' }).click();
  await expect.poll(() => thumbs.count()).toBe(1);
  await page.getByRole('button', { name: 'Desfazer' }).last().click();
  await expect.poll(() => thumbs.count()).toBe(2);
}, 120_000);

it('a viewer sees them and adds none; one that is on its way is told as that and not as none', async () => {
  await farm.app.call('POST', `/ponds/${pond.id}/photos`, {
    token: farm.owner.token,
    body: { sha256: 'ab'.repeat(32), bytes: 1_000, width: 10, height: 10, type: 'image/jpeg' },
  });
  const page = await farm.open(`/viveiros/${pond.cod}/historico`, { ...PHONE, as: viewer });
  const box = page.locator('[data-photos]');
  await box.getByText('a caminho').waitFor();
  expect(await box.locator('input[type=file]').count()).toBe(0);
  expect(await box.getByText('Nenhuma foto ainda.').count()).toBe(0);
}, 60_000);
