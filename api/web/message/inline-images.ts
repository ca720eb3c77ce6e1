import { answerOf } from '../client/request.ts';
import type { Message } from '../client/shapes.ts';
import { inTeam } from '../client/team.ts';
import { contentIdsIn } from './clean-html.ts';

/** Path of an attachment. The API's `downloadUrl` begins with the base URL, which may differ from the address in use. */
export const attachmentPath = (message: number, attachment: number) =>
  inTeam(`/api/messages/${message}/attachments/${attachment}`);

/**
 * Loads the images that the mail's HTML shows by Content-ID, as `data:` URLs: the frame has an opaque origin and cannot
 * fetch them, nor a `blob:` URL of the page. An image that cannot be read is left out.
 */
export async function inlineImages(message: Message, signal: AbortSignal): Promise<Map<string, string>> {
  const wanted = contentIdsIn(message.html ?? '');
  const images = message.attachments.flatMap(({ id, content_id, content_type }) => {
    const cid = content_id?.replace(/^<|>$/g, '') ?? '';
    return wanted.has(cid) && /^image\/[\w.+-]+$/i.test(content_type) ? [{ id, cid, content_type }] : [];
  });
  const read = await Promise.allSettled(
    images.map(async ({ id, cid, content_type }) => {
      const answer = await answerOf('GET', attachmentPath(message.id, id), undefined, { signal });
      return [cid, await dataUrl(await answer.blob(), content_type)] as const;
    }),
  );
  return new Map(read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
}

function dataUrl(blob: Blob, type: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([blob], { type }));
  });
}
