/** Names of actions in a PDF, and of parts that may hide actions: objects in compressed streams, encryption. */
const active =
  /\/(JavaScript|Launch|SubmitForm|ImportData|GoToR|GoToE|RichMedia|Rendition|XFA|ObjStm|Encrypt)\b|\/AA(?=[\s<%])|\/OpenAction(?!\s*\[)/;

/**
 * Tells whether a PDF may act when it is opened. Browsers run the scripts of a PDF in their viewer: they cannot reach the
 * page, but can open dialogs and send forms. Opening at a place (an array) is no action.
 */
export function mayAct(bytes: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(bytes);
  // ISO 32000-1 section 7.3.5: a name may spell any of its letters as #xx.
  return active.test(
    text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}
