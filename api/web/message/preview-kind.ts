import type { Attachment } from '../client/shapes.ts';

export type PreviewKind = 'image' | 'pdf' | 'calendar' | 'text';

/** Content types shown as text. */
const textTypes =
  /^(text\/|message\/|application\/(json|xml|yaml|x-yaml|javascript|sql|toml|x-sh|[\w.-]+\+(json|xml))$)/;
const images = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon)$/;

/**
 * Returns an attachment's kind of preview, or null if it has none. Determines the kind of an `application/octet-stream` from its name.
 */
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

/** Names of actions in a PDF, and of parts that may hide actions: objects in compressed streams, encryption. */
const actions =
  /\/(JavaScript|Launch|SubmitForm|ImportData|GoToR|GoToE|RichMedia|Rendition|XFA|ObjStm|Encrypt)\b|\/AA(?=[\s<%])|\/OpenAction(?!\s*\[)/;

/**
 * Checks whether a PDF may act when it is opened. Browsers run a PDF's scripts in their viewer. Scripts cannot access the page, but can
 * open dialogs and submit forms. Opening at a position (an array) is not an action.
 */
export function mayAct(bytes: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(bytes);
  // ISO 32000-1 section 7.3.5: a name may spell any character as #xx.
  return actions.test(
    text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}
