/** Words that announce a one-time code. */
const partWords =
  'code,codes,passcode,otp,pin,tan,kod,kodu,kodunuz,kode,koden,koodi,kood,kodas,koda,kods,cod,código,codigo,codice,codi,kód,kódja,clave,einmalpasswort,einmalkennwort,codul,κωδικός,код,кода,кодом,пароль,mã,kodi,kodea,numerokoodi,one-time,otc,verificatiecode,2fa,mfa'.split(
    ',',
  );
/** Ends of compound words that announce a code, such as `Sicherheitscode`. */
const endings = ['code', 'kode', 'koden', 'koodi', 'kod', 'kód', 'passwort', 'koodisi', 'kodunuz', 'пароль'];
/** Words of scripts that do not separate words, found anywhere in a run of letters. */
const anywhere =
  '验证码,驗證碼,校验码,动态码,确认码,認證碼,コード,認証番号,確認番号,暗証番号,パスコード,인증번호,인증 번호,인증코드,코드,رمز,كود,کد,कोड,รหัส,קוד,ოტპ'.split(
    ',',
  );

/** Neighbours that make an announcing word mean another kind of code. */
const otherCodeWords =
  'zip,postal,post,promo,promotional,promotion,promotions,discount,coupon,voucher,gift,referral,country,area,dial,dialling,source,error,status,exit,qr,bar,dress,swift,sort,tax,fiscal,fiscale,postale,promotionnel,rabatt,gutschein,descuento,sconto,building,civil,penal,zipcode,sku,product,color,colour,booking,tracking,morse,invite,vat'.split(
    ',',
  );
/** Words that make the number after them an order number, a phone number, an amount and so on. */
const numberWordList =
  'order,orders,invoice,ticket,case,reference,ref,account,customer,case,tracking,booking,member,membership,phone,tel,telephone,call,fax,mobile,bestellung,bestellnummer,rechnung,rechnungsnummer,kundennummer,commande,facture,pedido,factura,ordine,fattura,bestelling,заказ,заказа,счет,suite,room,flat,apt,box,street,ending,since,copyright,version,build,issue,pr,flight,train,vat,iban,paid,pay,total,amount,price,subtotal,balance,euro,euros,eur,usd,gbp,chf,dollars'.split(
    ',',
  );
const unitWords =
  'minutes,minute,min,mins,hours,hour,hrs,seconds,second,sec,days,day,weeks,months,years,minuten,stunden,sekunden,tage,heures,jours,minutos,horas,días,minuti,ore,giorni,uur,dagen,минут,часов,points,credits,items,users,people,customers,times,eur,usd,gbp,chf,euro,euros,dollars,mb,gb,kb,px,kg,km,characters,digits,percent'.split(
    ',',
  );
/** Words that may stand between an announcement and its code. */
const fillerWords =
  'is,are,as,your,the,a,this,below,following,here,for,to,of,ist,lautet,ihr,dein,est,votre,le,la,es,su,tu,el,è,il,tuo,seu,é,o,on,är,din,er,jest,to,twój,ваш,это,です,は,是,为,為,入力'.split(
    ',',
  );

const parts = new Set(partWords);
const stems = stemPattern([...partWords, ...endings, ...anywhere]);
const otherCodes = new Set(otherCodeWords);
const numberWords = new Set(numberWordList);
const units = new Set(unitWords);
const fillers = new Set(fillerWords);

/** Tests whether a word in lower case announces a code; `before` and `behind` are its neighbours. */
export function announcesCode(word: string, before: string, behind: string): boolean {
  if (otherCodes.has(before) || (otherCodes.has(behind) && !fillers.has(behind))) return false;
  if (parts.has(word)) return true;
  if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{M}'’-]+$/u.test(word)) {
    if (!endings.some((ending) => word.endsWith(ending)) || word.length > 40) return false;
    return (
      !otherCodeWords.some((other) => word.startsWith(other)) &&
      !['barcode', 'unicode', 'decode'].includes(word)
    );
  }
  return anywhere.some((part) => word.includes(part));
}

/** Tests whether a word makes the number after it something other than a code. */
export function namesNumber(word: string): boolean {
  return numberWords.has(word) || otherCodes.has(word);
}

/** Tests whether a word makes the number before it a quantity. */
export function isUnit(word: string): boolean {
  return units.has(word);
}

export function isFiller(word: string): boolean {
  return fillers.has(word);
}

/** Tests cheaply whether a text may announce a code; true wherever `announcesCode` is. */
export function mayAnnounceCode(text: string): boolean {
  return stems.test(text);
}

function stemPattern(words: string[]): RegExp {
  const shortest = words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
  return new RegExp([...new Set(shortest)].join('|'), 'iu');
}

/**
 * A word of a line with its place. `shape` is its possible reading as a code: `digits`, `mixed` (letters and digits),
 * `letters` (capitals only) or null. `value` is the code as a user would type it.
 */
export type Token = {
  word: string;
  value: string;
  shape: 'digits' | 'mixed' | 'letters' | null;
  start: number;
  end: number;
};

const wordPattern =
  /(?:\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{M}|[0-9])+(?:['’-](?:\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{M}|[0-9])+)*|\p{L}+/gu;

/** Splits a line into words. Groups of digits that make up one code with single blanks between them are one word. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const match of line.matchAll(wordPattern)) {
    const [text] = match;
    const start = match.index;
    const shape = touchesNumber(line, start, start + text.length) ? null : shapeOf(text);
    tokens.push({ word: text.toLowerCase(), value: text, shape, start, end: start + text.length });
  }
  return joinGroups(line, tokens);
}

function shapeOf(text: string): Token['shape'] {
  if (text.length > 24) return null;
  if (/^[0-9]{4,10}$/.test(text) || isEvenlyGrouped(text.split('-'))) return 'digits';
  if (/^[A-Z]{1,3}-[0-9]{4,8}$/.test(text)) return 'mixed';
  if (/^[A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){0,3}$/.test(text) && /[A-Z]/.test(text)) {
    const length = text.replaceAll('-', '').length;
    if (/[0-9]/.test(text)) return length >= 4 && length <= 16 ? 'mixed' : null;
    return length >= 4 && length <= 12 ? 'letters' : null;
  }
  // Ordinary words are in lower case, but do not alternate letters and digits.
  return /^[a-z0-9]{6,10}$/.test(text) && /[0-9][a-z]+[0-9]|[a-z][0-9]+[a-z]/.test(text) ? 'mixed' : null;
}

/** Tests for two to four groups of two to four digits, all of one length, unlike a phone number or a date. */
function isEvenlyGrouped(groups: string[]): boolean {
  const length = groups[0]?.length ?? 0;
  if (groups.length < 2 || groups.length > 4 || length < 2 || length > 4) return false;
  if (!groups.every((group) => group.length === length && /^[0-9]+$/.test(group))) return false;
  return groups.length * length <= 10 && !(length === 2 && groups.length === 3 && isDayMonthYear(groups));
}

function isDayMonthYear(groups: string[]): boolean {
  const [first, second] = groups.map(Number);
  return (
    first !== undefined &&
    second !== undefined &&
    ((first <= 31 && second <= 12) || (first <= 12 && second <= 31))
  );
}

/** Tests for a number that continues across punctuation (date, amount, time) or has a sign that excludes a code. */
function touchesNumber(line: string, start: number, end: number): boolean {
  const before = line.slice(Math.max(0, start - 3), start);
  const behind = line.slice(end, end + 3);
  return (
    /[0-9][.,:/]$/.test(before) ||
    /^[.,:/][0-9]/.test(behind) ||
    /[$€£¥₹+#@/\\]\s?$/u.test(before) ||
    /[\p{L}0-9_][_.=&]$/u.test(before) ||
    /^\s?[$€£¥₹%°]/u.test(behind) ||
    /^[@_=]/.test(behind)
  );
}

/** Joins groups of digits. `123 456`, `12 34 56` and `1 2 3 4 5 6` are codes; `555 123 4567` and its parts are none. */
function joinGroups(line: string, tokens: Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at];
    if (first === undefined) break;
    let last = at;
    while (
      isDigits(tokens[last]) &&
      isDigits(tokens[last + 1]) &&
      oneBlank(line, tokens[last], tokens[last + 1])
    )
      last += 1;
    const run = tokens.slice(at, last + 1);
    at = last + 1;
    if (run.length === 1) {
      joined.push(first);
      continue;
    }
    const groups = run.map(({ value }) => value);
    const spelled = groups.length >= 4 && groups.length <= 10 && groups.every((group) => group.length === 1);
    const end = run.at(-1)?.end ?? first.end;
    const whole = isEvenlyGrouped(groups) || spelled ? joinedShape(line, first.start, end) : null;
    joined.push({ word: groups.join(' '), value: groups.join(''), shape: whole, start: first.start, end });
  }
  return joined;
}

function joinedShape(line: string, start: number, end: number): Token['shape'] {
  return touchesNumber(line, start, end) || /\(\s?$/.test(line.slice(0, start)) ? null : 'digits';
}

function isDigits(token: Token | undefined): boolean {
  return token !== undefined && /^[0-9]+$/.test(token.value);
}

function oneBlank(line: string, left: Token | undefined, right: Token | undefined): boolean {
  return (
    left !== undefined &&
    right !== undefined &&
    right.start === left.end + 1 &&
    /\s/.test(line.charAt(left.end))
  );
}
