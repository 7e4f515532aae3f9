import { useEffect, useState } from 'preact/hooks';
import type { ListedPhoto } from '#contract/resources/photos.ts';
import { ApiError, fetchFile } from '../../data/api.ts';

/** What can be seen of a photo now. */
export type Picture = { is: 'asked' } | { is: 'here'; url: string } | { is: 'not here' } | { is: 'broken' };

/** The bytes of a photo, as long as it is shown. */
export function usePicture({ id, is_here }: Pick<ListedPhoto, 'id' | 'is_here'>): Picture {
  const [picture, setPicture] = useState<Picture>({ is: 'asked' });
  useEffect(() => {
    const asked = new AbortController();
    let url: string | null = null;
    setPicture({ is: 'asked' });
    void (async () => {
      try {
        const bytes = await (await fetchFile(`/photos/${id}/image`, asked.signal)).blob();
        if (asked.signal.aborted) return;
        url = URL.createObjectURL(bytes);
        setPicture({ is: 'here', url });
      } catch (error) {
        if (asked.signal.aborted) return;
        const isOnItsWay = error instanceof ApiError && error.code === 'PHOTO_NOT_HERE';
        setPicture({ is: isOnItsWay ? 'not here' : 'broken' });
      }
    })();
    return () => {
      asked.abort();
      if (url !== null) URL.revokeObjectURL(url);
    };
    // once it is told as here it is asked for anew
  }, [id, is_here]);
  return picture;
}
