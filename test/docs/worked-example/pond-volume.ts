/** Water of a pond in m³ from its area (m²) and mean depth (m); null where one of them is not known. */
export function volumeM3({
  sizeM2,
  depthM,
}: {
  sizeM2: number | null;
  depthM: number | null;
}): number | null {
  return sizeM2 === null || depthM === null ? null : sizeM2 * depthM;
}
