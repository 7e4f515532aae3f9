/** A QR code as a picture that prints sharp at any size. Its library is loaded with the first one. */
export async function qrSvg(text: string): Promise<string> {
  const { renderSVG } = await import('uqr');
  // four blank modules around: cameras of phones need them
  return renderSVG(text, { ecc: 'M', border: 4, pixelSize: 8 });
}

/** The same for a terminal, two rows of modules in a line of text. */
export async function qrText(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return renderUnicodeCompact(text, { ecc: 'M', border: 2 });
}
