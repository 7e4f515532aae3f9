import { LONGEST_SIDE, MOST_PHOTO_BYTES } from '#contract/resources/photos.ts';

export type SmallPicture = { blob: Blob; width: number; height: number };

/** From good to what can still be told apart. */
const QUALITIES = [0.82, 0.7, 0.55, 0.4];
const SMALLER = 0.75;
const LEAST_SIDE = 320;

/**
 * The picture as it may leave: at most LONGEST_SIDE pixels and MOST_PHOTO_BYTES, drawn anew, so that nothing of what a camera
 * writes beside it (where it stood, when) goes along. null: this browser cannot read it.
 */
export async function smallPicture(file: Blob): Promise<SmallPicture | null> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (picture === null) return null;
  try {
    const most = Math.max(picture.width, picture.height);
    for (let side = Math.min(most, LONGEST_SIDE); side >= Math.min(most, LEAST_SIDE); side *= SMALLER) {
      const canvas = drawn(picture, side / most);
      for (const quality of QUALITIES) {
        const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
        if (blob === null || blob.type !== 'image/jpeg') return null;
        if (blob.size <= MOST_PHOTO_BYTES) return { blob, width: canvas.width, height: canvas.height };
      }
    }
    return null;
  } finally {
    picture.close();
  }
}

function drawn(picture: ImageBitmap, scale: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context !== null) {
    // what is transparent is white, as on paper
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  }
  return canvas;
}
