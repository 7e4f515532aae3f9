// How much of the ammonia in a pond is the poisonous, un-ionised form.

/** 17.031 / 14.007: mass of ammonia (NH3) that holds one unit of nitrogen. */
const NH3_PER_NITROGEN = 1.2159;

export type AmmoniaSample = {
  /** Total ammonia nitrogen, mg/L as N; not negative. */
  tanMgL: number | null;
  temperatureC: number | null;
  /** Of a field meter calibrated with ordinary (NBS) buffers. */
  ph: number | null;
  /** Parts per thousand; null counts as fresh water, which gives the higher, cautious figure. */
  salinityPpt: number | null;
};

/**
 * Un-ionised ammonia nitrogen, mg/L NH3-N. pKa after Whitfield (1974) and Hampson (1977) as in the EPA's saltwater
 * criteria of 1989, the coefficient of ionic strength fitted to the table of Bower & Bidwell (1978).
 *
 * Valid for 5–35 °C, 0–36 ppt and pH 6–10, where published tables agree within 4 %; outside these, or with a value
 * missing, null: nobody has measured it.
 */
export function unionizedAmmoniaMgL(sample: AmmoniaSample): number | null {
  const { tanMgL, temperatureC, ph } = sample;
  const salinityPpt = sample.salinityPpt ?? 0;
  if (tanMgL === null || temperatureC === null || ph === null || tanMgL < 0) return null;
  const isKnown = isWithin(temperatureC, 5, 35) && isWithin(salinityPpt, 0, 36) && isWithin(ph, 6, 10);
  if (!isKnown) return null;

  const kelvin = temperatureC + 273.15;
  const ionicStrength = (19.9273 * salinityPpt) / (1000 - 1.005109 * salinityPpt);
  const pKa = 9.245 + 0.1557 * ionicStrength + 0.0324 * (298 - kelvin) + 0.0415 / kelvin;
  return tanMgL / (1 + 10 ** (pKa - ph));
}

/** The same amount written as ammonia instead of as nitrogen, mg/L NH3: some kits print one, some the other. */
export function asAmmoniaMgL(nh3NitrogenMgL: number): number {
  return nh3NitrogenMgL * NH3_PER_NITROGEN;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
