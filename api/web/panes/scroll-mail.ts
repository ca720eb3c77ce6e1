/** Distance in pixels between the places in an email to which keys scroll. */
const stepPx = 160;
/** Part of the height that a key press scrolls. The rest stays visible. */
const part = 0.85;
const mostSteps = 200;

/**
 * Empty elements for the end of an email's HTML, one for each place to which keys scroll. The frame runs no script and has another
 * origin, so the page can scroll it only by a fragment.
 */
export const scrollPlaces = Array.from(
  { length: mostSteps + 1 },
  (_, at) => `<i id=place-${at} style="position:absolute;top:0;scroll-margin-top:${-at * stepPx}px"></i>`,
).join('');

/** Scrolls the open message by a page: down for 1, up for -1. */
export function scrollMail(by: 1 | -1): void {
  const frame = document.querySelector<HTMLIFrameElement>('.message-frame');
  if (frame === null) {
    const room = document.querySelector('.markup, .message-room');
    room?.scrollBy(0, by * part * room.clientHeight);
    return;
  }
  const steps = Math.max(1, Math.floor((part * frame.clientHeight) / stepPx));
  const at = Math.min(Math.max(Number(frame.dataset.at ?? 0) + by * steps, 0), mostSteps);
  frame.dataset.at = `${at}`;
  frame.contentWindow?.location.replace(`about:srcdoc#place-${at}`);
}
