const LONGEST_PART = 60;

/**
 * The header that names a file for saving, made from words that people chose: whatever could be a path, a control
 * character or the end of the header becomes a hyphen. RFC 6266: an ASCII name for old clients, the true one beside it.
 */
export function attachment(parts: readonly string[], extension: 'csv' | 'html' | 'xlsx' | 'zip'): string {
  return disposition('attachment', parts, extension);
}

/** The same for a page that is shown and may be saved. */
export function inline(parts: readonly string[], extension: 'html'): string {
  return disposition('inline', parts, extension);
}

function disposition(kind: string, parts: readonly string[], extension: string): string {
  const name = `${parts.map(safePart).filter(Boolean).join('_')}.${extension}`;
  const ascii = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/g, '-');
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${percentEncoded(name)}`;
}

function safePart(part: string): string {
  return (
    part
      .toWellFormed()
      .normalize('NFC')
      // letters, marks and digits of every script; nothing that a shell, a path or a header could read
      .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
      .slice(0, LONGEST_PART)
      .toWellFormed()
      .replaceAll('\uFFFD', '')
      .replaceAll(/\.{2,}/g, '.')
      .replaceAll(/^[._-]+|[._-]+$/g, '')
  );
}

function percentEncoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
