import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListedPhoto } from '#contract/resources/photos.ts';
import { photoWords } from '#words/photos.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, fetchFile } from '../../data/api.ts';
import { correct, removeLater } from '../../data/corrections.ts';
import { mayCorrect, mayCorrectNote } from '../../data/farm-store.ts';
import { dayAndTime } from '../../i18n/format.ts';

export const photoPath = (id: string) => `/photos/${id}` as const;
const TOUCHES = ['ponds', 'batches', 'control-points'];
/** As far as a thumb goes on purpose. */
const SWIPE_PX = 50;

/** One photo large, the others by arrow keys, buttons or a swipe. */
export function Viewer({
  photos,
  at,
  onMove,
  onClose,
}: {
  photos: readonly ListedPhoto[];
  at: string;
  onMove: (id: string) => void;
  onClose: () => void;
}) {
  const words = photoWords();
  const place = photos.findIndex(({ id }) => id === at);
  const photo = photos[place];
  const go = (by: number) => {
    const next = photos[place + by];
    if (next !== undefined) onMove(next.id);
  };
  const began = useRef<number | null>(null);
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      // in the note arrows move the caret
      if (target instanceof HTMLInputElement) return;
      if (key === 'ArrowLeft') go(-1);
      if (key === 'ArrowRight') go(1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (photo === undefined) return null;
  const may = photo.control_point_id === null ? mayCorrect(photo) : mayCorrectNote(photo);
  const remove = () => {
    removeLater({
      path: photoPath(photo.id),
      label: words.photoOf(dayAndTime(photo.taken_at)),
      touches: TOUCHES,
    });
    onClose();
  };
  return (
    <Dialog
      title={`${words.photoOf(dayAndTime(photo.taken_at))} · ${words.nth(place + 1, photos.length)}`}
      onClose={onClose}
      actions={
        <>
          <Button aria-label={words.previous} disabled={place === 0} onClick={() => go(-1)}>
            <Icon name="back" />
          </Button>
          <Button aria-label={words.next} disabled={place === photos.length - 1} onClick={() => go(1)}>
            <Icon name="next" />
          </Button>
          {may ? (
            <Button look="danger" onClick={remove}>
              {words.remove}
            </Button>
          ) : null}
          <Button autofocus onClick={onClose}>
            {words.close}
          </Button>
        </>
      }
    >
      <div
        class="photo-whole"
        onPointerDown={({ clientX }) => void (began.current = clientX)}
        onPointerUp={({ clientX }) => {
          const by = clientX - (began.current ?? clientX);
          began.current = null;
          if (Math.abs(by) >= SWIPE_PX) go(by < 0 ? 1 : -1);
        }}
      >
        <Whole key={photo.id} photo={photo} />
      </div>
      {may ? <Note key={photo.id} photo={photo} /> : photo.note === null ? null : <p>{photo.note}</p>}
    </Dialog>
  );
}

function Whole({ photo }: { photo: ListedPhoto }) {
  const words = photoWords();
  const picture = usePicture(photo);
  switch (picture.is) {
    case 'here':
      return (
        <img
          src={picture.url}
          alt={photo.note ?? words.photoOf(dayAndTime(photo.taken_at))}
          draggable={false}
        />
      );
    case 'asked':
      return <p aria-busy="true">…</p>;
    case 'not here':
      return <p class="muted">{words.notHere}</p>;
    case 'broken':
      return <p class="muted">{words.broken}</p>;
  }
}

function Note({ photo }: { photo: ListedPhoto }) {
  const words = photoWords();
  const [note, setNote] = useState(photo.note ?? '');
  const save = () =>
    correct({
      path: photoPath(photo.id),
      label: words.note,
      touches: TOUCHES,
      body: { note },
      before: { note: photo.note },
    }).catch((error: unknown) => toast(faultText(error)));
  return (
    <div class="row">
      <TextField
        label={words.note}
        value={note}
        maxLength={500}
        onInput={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {note === (photo.note ?? '') ? null : <WorkButton work={save}>{words.saveNote}</WorkButton>}
    </div>
  );
}

/** What can be seen of a photo now. */
type Picture = { is: 'asked' } | { is: 'here'; url: string } | { is: 'not here' } | { is: 'broken' };

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
