import type { Page } from 'playwright-core';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type Pages, settled } from './pages.ts';
import { type Frame, readPng, writeFilm } from './small-png.ts';

export type Scene = { base: string; token: string; pond: { id: string; cod: string }; pointId: string };

/** A night in five pictures: all calm, an alarm, somebody answers it, starts the motor, and the motor says that it runs. */
export async function film(pages: Pages, { base, token, pond, pointId }: Scene): Promise<Buffer> {
  const ask = async (path: string, body?: unknown) => {
    const asked = body === undefined ? {} : { body };
    const answer = await callHttp(base, `/api/v1${path}`, { method: 'POST', bearer: token, ...asked });
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}`);
  };
  const page = await pages.open(`/viveiros/${pond.cod}`, { size: 'phone', theme: 'dark', language: 'en' });
  const frames: Frame[] = [];
  const take = async (forMs: number) => {
    frames.push({ picture: await pictureOf(page), forMs });
  };
  await take(1_500);
  await ask('/water-quality/', { pond_id: pond.id, dissolved_oxygen: 2.8, temperature: 29.4 });
  await page.waitForSelector('.alarm-strip.p1');
  await settled(page);
  await take(2_200);
  await page.locator('.alarm-strip button').click();
  await page.waitForSelector('.alarm-strip.p1', { state: 'detached' });
  await settled(page);
  await take(1_500);
  const state = 'main [data-state]';
  await page.locator(`[data-control="${pointId}"] button`).click();
  // a controller that is quick may have confirmed already
  await page.waitForSelector(`${state}[data-state="turning-on"]`, { timeout: 2_000 }).catch(() => undefined);
  await take(1_200);
  await page.waitForSelector(`${state}[data-state="on"]`);
  await page.waitForTimeout(300);
  await take(3_000);
  return writeFilm(frames);
}

const pictureOf = async (page: Page) => readPng(await page.screenshot({ type: 'png' }));
