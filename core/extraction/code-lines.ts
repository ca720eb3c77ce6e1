import { isInwardCode, isNamed } from './code-names.ts';
import { isClose, isForeignLabel, namesThing } from './code-purposes.ts';
import type { Announcement, LineOfWords, Token } from './code-token.ts';
import { tokensOf } from './code-tokens.ts';
import { kind } from './code-vocabulary.ts';
import { isKey, mayAnnounceCode, mayAskForCode, namesNoSecret } from './code-words.ts';

const maxLine = 2000;
/** Maximum length, in characters, of a line whose words without a digit may be codes. */
const maxLettersLine = 160;

/** Words used in promotions, in lower case. They may be parts of longer words. */
const promotion =
  /[0-9]\s?%|%\s?[0-9]|percent off|discount|coupon|voucher|promo|at checkout|free shipping|free spins|freispiele|gratis spins|tours gratuits|black friday|cyber monday|gift card|special offer|shop now|rabat|gutschein|an der kasse|im warenkorb|versandkostenfrei|aktionscode|réduction|remise|bon d.achat|en caisse|au moment du paiement|livraison (?:gratuite|offerte)|\bsoldes|descuento|cup[oó]n|al finalizar (?:la|tu) compra|envío gratis|rebajas|desconto|cupom|no checkout|ao finalizar|frete gr[aá]tis|sconto|buono|alla cassa|al checkout|spedizione gratuita|\bsaldi|korting|actiecode|afrekenen|gratis verzending|cadeaubon|zni[żz]k|kupon|wyprzeda|darmow|w koszyku|indirim|kampanya|ücretsiz kargo|скидк|купон|оформлении|распродаж|знижк|розпродаж|クーポン|割引|オフ|セール|ご購入時|お会計|优惠|優惠|折扣|促销|促銷|结账|結帳|立减|满减|包邮|免运|할인|쿠폰|결제 ?시|무료 ?배송|خصم|كوبون|قسيمة|عند الدفع|شحن مجاني|छूट|कूपन|डिस्काउंट|चेकआउट|i kassan|fri frakt|kampan|ved betaling|gratis fragt|slev[auyoě]|kup[oó]n|v košíku|doprava zdarma|έκπτωσ|εκπτωσ|κουπόνι|στο ταμείο|הנחה|קופון|בקופה|giảm giá|khuyến mãi|thanh toán|ส่วนลด|คูปอง|โปรโมชั่น|ชำระเงิน|diskon|saat checkout|gratis ongkir/;

/** Words used in meeting invitations. Their passcodes are not for signing in. */
const meeting =
  /(?:meeting|webinar|conference|konferenz|besprechungs|meeting-)[- ]?id|id (?:de )?(?:la |da |della )?(?:r[eé]uni[oóã]|riunione)|dial[- ]in|join (?:zoom|the|teams|our)? ?meeting|one tap mobile|ミーティング ?id|会议(?:号| ?id)|회의 ?id/;

/** Bullet of a list item that consists of a single word or two groups. Such an item may be a code. */
const listMark =
  /^\s{0,9}(?:[0-9]{1,2}[.)]|[*•▪])\s{1,9}(?=[0-9A-Za-z]{3,12}(?:[\s-][0-9A-Za-z]{3,12})?\s{0,9}$)/;

/** Line of text. It is split into words on demand, because most lines neither announce nor contain a code. */
export class Line implements LineOfWords {
  readonly text: string;
  #readable: string | null = null;
  #mayAnnounce: boolean | null = null;
  #mayContain: boolean | null = null;
  #tokens: Token[] | null = null;
  #announcements: Announcement[] | null = null;
  #announcementAt: Map<number, Announcement> | null = null;
  #isAnnouncing: boolean | null = null;
  #mayAskForCode: boolean | null = null;
  #lower: string | null = null;
  #named: Map<number, boolean> | null = null;
  #offers: Map<number, boolean> | null = null;
  #isPromotional: boolean | null = null;
  #isMeeting: boolean | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** Text without its URLs, because numbers in URLs are not codes. Spaces replace the URLs, so other words keep their positions. */
  get readable(): string {
    this.#readable ??= /:\/|www\.|mailto:/i.test(this.text)
      ? this.text.replace(/(?:https?:\/\/|www\.|mailto:)\S*/gi, (url) => ' '.repeat(url.length))
      : this.text;
    return this.#readable;
  }

  get lower(): string {
    this.#lower ??= this.text.toLowerCase();
    return this.#lower;
  }

  /** Checks whether the line contains words that may be a code. */
  get mayContain(): boolean {
    this.#mayContain ??=
      (/[0-9]/.test(this.text) &&
        /[0-9](?:[^0-9A-Za-z]{0,7}[0-9]){3}|[A-Za-z]-?[0-9]|[0-9]-?[A-Za-z]/.test(this.readable)) ||
      (this.text.length <= maxLettersLine &&
        /[A-Z]{4}|[A-Z]-[A-Z]|[a-z]-[a-z]+-|[a-z][A-Z]|^\s*[A-Z]\s/.test(this.readable));
    return this.#mayContain;
  }

  get mayAnnounce(): boolean {
    const { readable } = this;
    this.#mayAnnounce ??= mayAnnounceCode(readable === this.text ? this.lower : readable.toLowerCase());
    return this.#mayAnnounce;
  }

  get tokens(): Token[] {
    this.#tokens ??= tokensOf(this.readable);
    return this.#tokens;
  }

  get announcements(): Announcement[] {
    this.#announcements ??= this.mayAnnounce ? announcementsOf(this.tokens) : [];
    return this.#announcements;
  }

  announcement(at: number): Announcement | undefined {
    this.#announcementAt ??= new Map(
      this.announcements.map((announcement) => [announcement.at, announcement]),
    );
    return this.#announcementAt.get(at);
  }

  get isPromotional(): boolean {
    this.#isPromotional ??= promotion.test(this.lower);
    return this.#isPromotional;
  }

  get isMeeting(): boolean {
    this.#isMeeting ??= meeting.test(this.lower);
    return this.#isMeeting;
  }

  /** Checks whether the line announces a code but does not contain it. */
  get isAnnouncing(): boolean {
    this.#isAnnouncing ??=
      this.announcements.some(({ strength }) => strength !== 'weak') &&
      !this.tokens.some(({ shape, colon }, at) => {
        const linked = colon || ((this.tokens[at - 1]?.kinds ?? 0) & kind.link) !== 0;
        return (shape === 'digits' || (shape === 'mixed' && linked)) && !this.isNamed(at);
      });
    return this.#isAnnouncing;
  }

  /** Checks whether the line may ask the reader to type a code. */
  get mayAskForCode(): boolean {
    this.#mayAskForCode ??= mayAskForCode(this.lower);
    return this.#mayAskForCode;
  }

  /** Checks for a number named by another word: `order 48213`, `card ending in 4829`. */
  isNamed(place: number): boolean {
    this.#named ??= new Map();
    const known = this.#named.get(place) ?? isNamed(this, place);
    this.#named.set(place, known);
    return known;
  }

  /** Checks whether the word is in a promotional sentence. Reads each sentence only once. */
  isOffer(place: number): boolean {
    if (!this.isPromotional) return false;
    this.#offers ??= new Map();
    let from = place;
    while (from > 0 && !this.tokens[from]?.breaks && !this.#offers.has(from)) from -= 1;
    const known = this.#offers.get(from) ?? promotion.test(this.#sentence(from).toLowerCase());
    for (let at = from; at <= place; at += 1) this.#offers.set(at, known);
    return known;
  }

  #sentence(from: number): string {
    let to = from + 1;
    while (to < this.tokens.length && !this.tokens[to]?.breaks) to += 1;
    return this.text.slice(this.tokens[from]?.start ?? 0, this.tokens[to]?.start ?? this.text.length);
  }

  /** Checks whether a word that may be a code is alone on its line. */
  get isAlone(): boolean {
    return this.tokens.length === 1 && this.tokens[0]?.shape !== null;
  }

  get endsWithColon(): boolean {
    return /[:：=>→]\s*$/.test(this.text.slice(-8));
  }
}

/** Splits text into lines. Joins consecutive lines that contain a single character or digit group each, as in code boxes. */
export function linesOf(text: string, wrapped: boolean): Line[] {
  const lines: string[] = [];
  let boxes: string[] = [];
  const endBoxes = () => {
    if (boxes.length === 0) return;
    const signs = boxes.filter((box) => box !== '-').join(' ');
    const count = signs.replaceAll(' ', '').length;
    if (count >= 4 && count <= 10 && boxes.length > 1) lines.push(signs);
    else for (const one of boxes) lines.push(one);
    boxes = [];
  };
  for (const line of unwrap(text, wrapped)) {
    if (line === '' || !/\S/.test(line)) continue;
    const box = line.length > 40 || /[a-z]/.test(line) ? null : boxOf(line);
    if (box !== null && (boxes.length === 0 || fits(boxes, box))) {
      if (box !== '-' || boxes.length > 0) boxes.push(box);
      continue;
    }
    endBoxes();
    if (box !== null && box !== '-') boxes.push(box);
    else for (const one of cut(line)) lines.push(one);
  }
  endBoxes();
  return lines.map((line) => new Line(line.length > 40 ? line : withoutMark(line)));
}

/** If a list item may be a code, as in `1. 4829 1377`, replaces its number or bullet with spaces. */
function withoutMark(line: string): string {
  const [mark] = listMark.exec(line) ?? [''];
  return mark === '' ? line : ' '.repeat(mark.length) + line.slice(mark.length);
}

/** Content of a line that may be one box of a code: one to three characters, or a hyphen between groups. */
function boxOf(line: string): string | null {
  const text = line.trim();
  if (/^[-|]$/.test(text)) return '-';
  const signs = text.replace(/[[\]|_\s]/g, '');
  return /^(?:[0-9]{1,3}|[A-Z])$/.test(signs) && /^\S$|^[[\]|_\s0-9]+$/.test(text) ? signs : null;
}

function fits(boxes: string[], box: string): boolean {
  return box === '-' || boxes.length >= 12
    ? boxes.length < 12
    : boxes.findLast((other) => other !== '-')?.length === box.length;
}

/** Joins a paragraph's lines that a mail program wrapped: long lines that do not end a sentence and precede a line of several words. */
function unwrap(text: string, wrapped: boolean): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (!wrapped) return lines;
  const paragraphs: string[] = [];
  let open = false;
  for (const line of lines) {
    const last = paragraphs.at(-1);
    if (open && last !== undefined && last.length < maxLine && /^\S+\s+\S+\s+\S/.test(line.slice(0, 200))) {
      paragraphs[paragraphs.length - 1] = `${last} ${line}`;
    } else paragraphs.push(line);
    open = line.length >= 50 && /[^.:!?;。：\s]\s?$/.test(line.slice(-3));
  }
  return paragraphs;
}

function cut(line: string): string[] {
  const count = Math.ceil(line.length / maxLine);
  return count === 1
    ? [line]
    : Array.from({ length: count }, (_, at) => line.slice(at * maxLine, (at + 1) * maxLine));
}

function announcementsOf(tokens: Token[]): Announcement[] {
  return tokens.flatMap(({ kinds }, at) => {
    if (!(kinds & (kind.code | kind.secret | kind.numeral))) return [];
    const strength = strengthOf(tokens, at);
    return strength === null ? [] : [{ at, strength }];
  });
}

function strengthOf(tokens: Token[], at: number): Announcement['strength'] | null {
  const token = tokens[at];
  if (token === undefined || token.shape === 'digits') return null;
  if (token.kinds & kind.code) {
    if (isOther(tokens, at) || belongsToThing(tokens, at) || isInwardCode(tokens, at)) return null;
    if (token.kinds & kind.oneTime || isNear(tokens, at, 3)) return 'strong';
    return isForeignLabel(tokens, at) ? 'unsure' : 'plain';
  }
  if (token.kinds & kind.secret) return isNear(tokens, at, 3) ? 'strong' : isKey(token.word) ? null : 'weak';
  const named = ((tokens[at - 1]?.kinds ?? 0) & kind.named) !== 0;
  return !named && !namesNoSecret(token.word) && isNear(tokens, at, 1) ? 'strong' : null;
}

/** Words before the code of a program: `exited with code 1370`. */
const ofProgram =
  / (?:of|const|expected|unexpected|actual)$|^(?:exit|fail|respond|return|terminat)(?:s|ed)? with$/;

/** Checks for a neighboring word that makes this another kind of code: `zip code`, `code de réduction`. */
function isOther(tokens: Token[], at: number): boolean {
  const [beforeLast, before, token, behind, next] = [-2, -1, 0, 1, 2].map((step) => tokens[at + step]);
  if (token?.kinds && token.kinds & kind.other) return true;
  if (token?.kinds && token.kinds & kind.oneTime) return false;
  if (token !== undefined && isClose(token) && before !== undefined) {
    if (before.kinds & kind.other || ofProgram.test(`${beforeLast?.word} ${before.word}`)) return true;
    if (/^(?:cards?|and|or|&)$/.test(before.word) && beforeLast && beforeLast.kinds & kind.other) return true;
  }
  if (behind === undefined || !isClose(behind)) return false;
  if (behind.kinds & kind.other) return true;
  return (
    (behind.kinds & kind.joiner) !== 0 &&
    next !== undefined &&
    isClose(next) &&
    (next.kinds & kind.other) !== 0
  );
}

/** Checks for a code that belongs to a thing and is not for signing in: `door code`, `Vorgangscode`, `code de réservation`. */
function belongsToThing(tokens: Token[], at: number): boolean {
  const [before, token, behind, next] = [-1, 0, 1, 2].map((step) => tokens[at + step]);
  if (token === undefined || token.kinds & kind.oneTime || token.word.startsWith('clave')) return false;
  if (before !== undefined && isClose(token) && namesThing(before)) return true;
  if (behind !== undefined && isClose(behind)) {
    if (namesThing(behind)) return true;
    const of =
      (behind.kinds & kind.joiner) !== 0 && !/^(?:a|z|k)/.test(behind.word) && !/^[kк]/.test(token.word);
    const noun = next !== undefined && next.kinds & kind.filler ? tokens[at + 3] : next;
    if (of && next && noun && isClose(next) && isClose(noun) && namesThing(noun)) return true;
  }
  return false;
}

/** Checks for a word of kind `secure` within `reach` words in the sentence. */
function isNear(tokens: Token[], at: number, reach: number): boolean {
  const secures = (token: Token | undefined) =>
    token !== undefined &&
    (token.kinds & (kind.secure | kind.oneTime)) !== 0 &&
    !(reach === 1 && namesNoSecret(token.word));
  for (let step = 1; step <= reach; step += 1) {
    if (tokens[at - step + 1]?.breaks ?? true) break;
    if (secures(tokens[at - step])) return true;
  }
  const joined = tokens[at + 1] && (tokens[at + 1]?.kinds ?? 0) & kind.joiner ? 1 : 0;
  for (let step = 1; step <= reach + joined; step += 1) {
    const token = tokens[at + step];
    if (token === undefined || token.breaks || token.colon) break;
    if (secures(token)) return true;
  }
  return false;
}
