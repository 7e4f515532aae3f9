import { useEffect, useState } from 'preact/hooks';

/** What a camera reads off the screen. Black on white in every theme: many cameras read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [path, setPath] = useState<{ d: string; size: number } | null>(null);
  useEffect(() => {
    let isShown = true;
    // few people ever see one
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { ecc: 'M', border: 4 });
      const d = data
        .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
        .join('');
      if (isShown) setPath({ d, size });
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  if (path === null) return <div class="qr-code skeleton" aria-busy="true" />;
  return (
    <svg class="qr-code" viewBox={`0 0 ${path.size} ${path.size}`} role="img" aria-label={label}>
      <rect width={path.size} height={path.size} fill="#ffffff" />
      <path d={path.d} fill="#000000" shape-rendering="crispEdges" />
    </svg>
  );
}
