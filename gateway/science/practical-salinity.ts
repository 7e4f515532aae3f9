/**
 * Practical salinity from conductivity: PSS-78 (Unesco technical papers in marine science 37, 1981) at the pressure of the
 * air, with the extension of Hill, Dauphinee & Woods (1986) for brackish water below 2. Null outside 0–40 °C, 0–42.
 *
 * @param msPerCm conductivity at that temperature, mS/cm
 */
export function practicalSalinity(msPerCm: number, temperatureC: number): number | null {
  // published to 35 °C; shallow ponds pass that, and the polynomials stay smooth
  if (temperatureC < 0 || temperatureC > 40 || msPerCm < 0) return null;
  const t = temperatureC;
  const standard = 0.6766097 + t * (2.00564e-2 + t * (1.104259e-4 + t * (-6.9698e-7 + t * 1.0031e-9)));
  const ratio = msPerCm / STANDARD_MS_PER_CM / standard;
  const root = Math.sqrt(ratio);
  const warmth = (t - 15) / (1 + 0.0162 * (t - 15));
  const main = polynomial(MAIN, root) + warmth * polynomial(WARMTH, root);
  const salinity = main < 2 ? main - hill(ratio, warmth) : main;
  return salinity >= -1e-6 && salinity <= MOST ? Math.max(0, salinity) : null;
}

/** Of sea water of 35 at 15 °C. */
const STANDARD_MS_PER_CM = 42.914;
/** The scale ends there; refractometers go on. */
const MOST = 42;
const MAIN = [0.008, -0.1692, 25.3851, 14.0941, -7.0261, 2.7081] as const;
const WARMTH = [0.0005, -0.0056, -0.0066, -0.0375, 0.0636, -0.0144] as const;

const polynomial = (factors: readonly number[], x: number): number =>
  factors.reduceRight((sum, factor) => sum * x + factor, 0);

function hill(ratio: number, warmth: number): number {
  const x = 400 * ratio;
  const y = 100 * ratio;
  return 0.008 / (1 + 1.5 * x + x * x) + (0.0005 * warmth) / (1 + Math.sqrt(y) + y + y ** 1.5);
}
