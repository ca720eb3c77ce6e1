import type { Attachment } from '../client/shapes.ts';

export type PreviewKind = 'image' | 'pdf' | 'calendar' | 'text';

/** Content types that are shown as text. */
const textTypes =
  /^(text\/|message\/|application\/(json|xml|yaml|x-yaml|javascript|sql|toml|x-sh|[\w.-]+\+(json|xml))$)/;
const images = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon)$/;

/** Returns the kind of preview of an attachment, or null for none. An `application/octet-stream` is judged by its name. */
export function previewKind({ content_type, filename }: Pick<Attachment, 'content_type' | 'filename'>) {
  const type = content_type.toLowerCase();
  const ending = /\.(\w+)$/.exec(filename ?? '')?.[1]?.toLowerCase();
  if (images.test(type)) return 'image';
  if (type === 'application/pdf' || (isVague(type) && ending === 'pdf')) return 'pdf';
  if (type === 'text/calendar' || type === 'application/ics' || ending === 'ics') return 'calendar';
  if (textTypes.test(type)) return 'text';
  return isVague(type) && /^(txt|csv|log|json|xml|md|ya?ml|eml)$/.test(ending ?? '') ? 'text' : null;
}

const isVague = (type: string) => type === 'application/octet-stream';
