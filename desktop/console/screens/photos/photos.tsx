import '../../styles/photos.css';
import { useEffect, useState } from 'preact/hooks';
import type { ListedPhoto } from '#contract/resources/photos.ts';
import { photoWords } from '#words/photos.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { isLeaving } from '../../data/corrections.ts';
import {
  discardPhoto,
  MOST_WAITING,
  sendAgain,
  startPhotos,
  takePhoto,
  type WaitingPhoto,
  waitingAt,
} from '../../data/photo-outbox.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { photoPath, usePicture, Viewer } from './viewer.tsx';

type Place =
  | `/ponds/${string}/photos`
  | `/batches/${string}/photos`
  | `/control-points/${string}/photos`
  | `/batches/${string}/losses/${string}/photos`;

/** A line of a farm carries that many at once; the rest when somebody asks. */
const AT_ONCE = 12;
const MOST = 1_000;

/** Photos of a place, newest first, with those that still wait on this device before them. */
export function Photos({ path, mayAdd, plain = false }: { path: Place; mayAdd: boolean; plain?: boolean }) {
  const words = photoWords();
  const photos = useGet(path, { limit: MOST });
  const [most, setMost] = useState(AT_ONCE);
  const [viewed, setViewed] = useState<string | null>(null);
  useEffect(() => void startPhotos(), []);
  const waiting = waitingAt(path);
  const there = (rows: readonly ListedPhoto[]) => rows.filter(({ id }) => !isLeaving(photoPath(id)));
  return (
    <section class={plain ? 'stack' : 'card stack'} data-photos>
      <div class="row apart">
        {plain ? null : <h2>{words.title}</h2>}
        {mayAdd ? <Add path={path} /> : null}
      </div>
      {waiting.length === 0 ? null : (
        <ul class="photos">
          {waiting.map((photo) => (
            <Waiting key={photo.id} photo={photo} />
          ))}
        </ul>
      )}
      <Answer
        of={photos}
        isEmpty={(rows) => there(rows).length === 0}
        empty={waiting.length > 0 ? null : <p class="muted">{words.none}</p>}
      >
        {(rows) => {
          const shown = there(rows);
          return (
            <>
              <ul class="photos">
                {shown.slice(0, most).map((photo) => (
                  <li key={photo.id} class="photo">
                    <Thumb photo={photo} onOpen={() => setViewed(photo.id)} />
                    <span class="muted small">{dayAndTime(photo.taken_at)}</span>
                  </li>
                ))}
              </ul>
              {shown.length > most ? (
                <Button onClick={() => setMost(most + AT_ONCE)}>
                  {words.more(Math.min(AT_ONCE, shown.length - most))}
                </Button>
              ) : null}
              {viewed === null ? null : (
                <Viewer photos={shown} at={viewed} onMove={setViewed} onClose={() => setViewed(null)} />
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Thumb({ photo, onOpen }: { photo: ListedPhoto; onOpen: () => void }) {
  const words = photoWords();
  const picture = usePicture(photo);
  const name = words.photoOf(dayAndTime(photo.taken_at));
  return (
    <button type="button" class="photo-thumb" aria-label={name} onClick={onOpen}>
      {picture.is === 'here' ? (
        <img src={picture.url} alt="" />
      ) : picture.is === 'asked' ? (
        <span aria-busy="true">…</span>
      ) : (
        <span class="small muted">{picture.is === 'not here' ? words.notHereShort : words.broken}</span>
      )}
    </button>
  );
}

/** A photo that is still on this device. */
function Waiting({ photo }: { photo: WaitingPhoto }) {
  const words = photoWords();
  const [url, setUrl] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(photo.picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [photo.picture]);
  return (
    <li class="photo" data-waiting={photo.state}>
      <span class="photo-thumb">{url === null ? null : <img src={url} alt="" />}</span>
      <span class="small" role="status">
        {photo.state === 'refused'
          ? words.refused(photo.fault === null ? '' : faultText(photo.fault))
          : photo.state === 'sending'
            ? words.sending
            : photo.isKept
              ? words.waiting
              : words.notKept}
      </span>
      {photo.state === 'refused' ? <Button onClick={() => sendAgain(photo.id)}>{words.again}</Button> : null}
      {photo.state === 'sending' ? null : <Button onClick={() => setAsked(true)}>{words.discard}</Button>}
      {isAsked ? (
        <ConfirmDialog
          title={words.discardTitle}
          label={words.discard}
          work={() => discardPhoto(photo.id)}
          onClose={() => setAsked(false)}
        >
          <p>{words.discardText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

function Add({ path }: { path: Place }) {
  const words = photoWords();
  const [isBusy, setBusy] = useState(false);
  const take = async (chosen: FileList | null) => {
    setBusy(true);
    try {
      for (const file of chosen ?? []) {
        const fate = await takePhoto(path, file);
        if (fate === 'unreadable') toast(words.unreadable);
        if (fate === 'full') return toast(words.full(MOST_WAITING));
        if (fate === 'not kept') toast(words.notKept);
      }
    } finally {
      setBusy(false);
    }
  };
  const input = (label: string, more: { capture?: 'environment'; multiple?: boolean }) => (
    <label class="button photo-file">
      {more.capture === undefined ? null : <Icon name="plus" />} {isBusy ? words.preparing : label}
      <input
        type="file"
        accept="image/*"
        disabled={isBusy}
        {...more}
        onChange={({ currentTarget }) =>
          void take(currentTarget.files).finally(() => {
            currentTarget.value = '';
          })
        }
      />
    </label>
  );
  return (
    <div class="row no-print">
      {input(words.take, { capture: 'environment' })}
      {input(words.choose, { multiple: true })}
    </div>
  );
}
