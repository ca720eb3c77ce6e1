import { isAscii } from '#core/ascii.ts';
import { isTypedPart } from './code-purposes.ts';
import { foldWord } from './code-signs.ts';
import { kind, notices as noticeWords, runs, separated, vietnamese } from './code-vocabulary.ts';

/** Beginnings of words of kind `secure` in languages that compound or inflect words. */
const secureStems =
  /^(?:verif|authent|autent|authori[sz]|autori[sz]|confirm|konfirm|secur|segur|sicur|sicher|bestatig|anmeld|einmal|onetime|zugang|zugriff|freigabe|pruf|weryfik|potwierdz|bezpiecz|logowan|jednoraz|dogrula|guvenlik|onay|validation|validac|validier|validaz|bekraft|bekraef|sakerhet|sikkerhed|godkend|engang|eenmalig|overen|overov|prihlas|potvrz|bevestig|beveilig|inlog|identif|επαληθευ|επιβεβαιω|ασφαλει|συνδεσ|подтвержд|провероч|проверк|безопасн|авториз|одноразов|підтверд|перевір|безпек|аутентиф|автентиф)/;
/** Words used in bookings and registers: a confirmation or registration number is not for signing in. */
const confirmations =
  /^(?:regist|identi|enrol|devic|confirm|konfirm|bestatig|potwierdz|potvrz|подтвержд|підтверд|onay|bevestig|bekraft|bekraef)/;
/** Numbers that identify a user or a card. */
const userNumber = /^(?:zugang|anmeld|pruf).*nummer$/;
const below =
  /below|following|unten|folgende|nachstehend|ci-dessous|suivant|abajo|continuación|siguiente|abaixo|seguinte|sotto|seguito|seguente|hieronder|onderstaande|poniżej|poniższ|nedan|följande|nedenfor|følgende|níže|nižšie|následující|παρακάτω|ниже|нижче|následovně|alább|aşağıda|alt kısım|mai jos|alla|nastavku|ispod|以下|下記|如下|下方|下列|아래|다음|أدناه|नीचे|למטה|dưới|ด้านล่าง|bawah|زیر/;
const keys =
  /^(?:keys?|schlussel|cle|clef|chiave|llave|chave|sleutel|klucz|anahtar|ключ|nyckel|nogle|klic|ma|κλειδι|מפתח|مفتاح|कुंजी|khoa|kunci|キー|키)$/;
const ids = /^(?:id|no|nr|n|num)$/;

/** Words for a code, with endings from many languages, and final parts of compound words such as `Sicherheitscode`. */
const inflected =
  /^(?:kod(?!ak|iak|ein|eks|ex)|код(?!ак|еин|екс|ир|ер)|კოდ|կոդ|(?:পাস|పాస్|ಪಾಸ್|പാസ്|பாஸ்|પાસ|ਪਾਸ|ପାସ)?(?:কোড|కోడ్|ಕೋಡ್|ಕೋಡ|കോഡ|કોડ|ਕੋਡ|କୋଡ|கோட்)|குறியீ|කේත|ڪوڊ|ኮድ)[\p{L}\p{M}]{0,8}$/u;
const codeEnd = /(?:codes?|kod|kode[nrt]?|kood|koodi(?:si|n|a|nne)?|kodinn?|kodu|kodja|kodot|kodunuz)$/;
const secretEnd = /(?:passwort|kennwort|schlussel|losenord|wachtwoord|adgangskode|nummer)$/;
/** Compound words that name another kind of code, and ordinary words that happen to end like one. */
const otherCompound =
  /^(?:diagnos|(?:uni|de|en|trans|geo|bar|qr|x|vs|leet|byte|op|no|low|re|source)-?codes?$|post|zip|promo|rabat|gutschein|aktion|actie|korting|coupon|voucher|quell|fehler|error|fout|fel|fejl|land|product|produ[ck]t|farb|color|sendung|empfehlung|freund|streep|strek|streg|streck|strich|kampan|kampag|present|gave|varde|cadeau|geschenk|gift|klant|kund|bestell|buchung|tracking|artikel|invite|einladung|discount|referral|area|bokning|reserv(?!e-?[ck]o)|rezerv|varaus|(?:ticket|billet)s?-?[ck]o|trans[ak]|auftrag|vorgang|ugyfel|rendeles|termek|vonal|irany|hiba|orszag|asiakas|tuote|posti(?!laatikko)|virhe|maa-?k|jasen|tilaus|kliendi|toote|(?:tur|tor|dor|lid|port|ovi|haus)-?[ck]o|deur|poort|dorr|wlan|wi-?fi|mitglied|member|medlem|abonn|vertrag|contract|kontrakt|filial|mandant|lieferant|boeking|bedrijf|firmen|uitnodig|inbjud|invit|mitarbeiter|staat|wahrung|valut)/;

const list = (words: string) => words.split(/\s+/).filter((word) => word !== '');
const meanings = new Map<string, number>();
for (const [meaning, words] of [...separated, ...runs]) {
  for (const word of list(words)) add(foldWord(word), meaning);
}
for (const [meaning, words] of vietnamese) for (const word of list(words)) add(word, meaning);
const runWords = new RegExp(
  runs
    .flatMap(([, words]) => list(words))
    .sort((left, right) => right.length - left.length)
    .join('|'),
  'gu',
);

const notices = new Set(list(noticeWords));

function add(word: string, meaning: number): void {
  const secure = secureStems.test(word) ? kind.secure : 0;
  meanings.set(word, (meanings.get(word) ?? 0) | meaning | secure);
}

/** Parts of words that announce a code or ask the reader to type one, in lower case. */
const stems = {
  ascii:
    /co[dó]|koo?d|msimbo|otp|otc|2fa|mfa|pin(?![a-z])|pins|pin-|ta[cn](?![a-z])|tans|pass|parola|clave|cle[ fs]|key|token|kennw|contrase|senha|wachtw|haslo|sifre|schluss|chiave|llave|chave|sleutel|klucz|anahtar|losen|heslo|hesla|nyckel|nogle|klic|sandi|kunci|jelsz|salas|numb|numm|nume|numar|numero|nomor|(?<![a-z])ma /,
  other:
    /c?hód|cód|k[óôò][dð]|[cko]o\u0301d|clé|hasł|şifre|schlü|lösen|nøgl|klíč|núm|numé|m(?:ã|a\u0303)|khẩu|khóa|số|к[оô]д|пароль|парол|ключ|п[иі]н|номер|κωδ|κώδ|κλειδ|συνθημ|αριθμ|קוד|סיסמ|ססמה|מפתח|מספר|رمز|رموز|كود|کد|کوڈ|مرور|السر|مفتاح|رقم|कोड|पास|ओटीपी|कूट|कुंजी|संख्या|नंबर|কোড|ওটিপি|ఓటీపీ|ಒಟಿಪಿ|ஓடிபி|குறியீ|கோட்|కోడ్|ಕೋಡ|കോഡ|କୋଡ|කේත|ڪوڊ|ኮድ|ਕੋਡ|કોડ|կոդ|კოდ|ოტპ|[码碼钥鑰令]|密|コード|番号|パス|キー|코드|번호|비밀|패스|키|핀|일회용|รหัส|โค้ด|โอทีพี|หมายเลข|ລະຫັດ|លេខកូដ|ကုဒ်/,
};
const uses = {
  ascii:
    /use |usa |using|enter|type|input|submit|provide|benutze|nutze|geben|gib |utili[sz]|saisi|entre|tape|introdu|ingres|escrib|digit[ea]|insir|inseri|informe|gebruik|voer|uzyj|wpisz|podaj|wprowad|kullan|girin|girip|girer|yazin|anvand|ange |skriv|brug|verwend|indtast|angiv|pouzij|zadej|gunakan|masukkan|ketik|pakai/,
  other:
    /użyj|použij|yazın|använd|использ|введ|укаж|викорис|вкаж|χρησιμοπ|εισ[αά]γ|πληκτρ|השתמש|הזן|הזינ|הקלד|استخدم|دخل|اكتب|उपयोग|दर्ज|डाल|dùng|nhập|输入|輸入|使用|入力|입력|ใส่|กรอก|ป้อน|ใช้/,
};

/**
 * Stems and uses, without the spaces after them and without conditions for adjacent letters. A text that contains none of them has no line
 * that contains a stem or a use, even after its lines are joined and cut.
 */
const hints = {
  ascii: byFirstLetter(loosened(stems.ascii, uses.ascii)),
  other: new RegExp(loosened(stems.other, uses.other)),
};

function loosened(...patterns: RegExp[]): string {
  return patterns.map(({ source }) => source.replace(/\(\?<?!\[a-z\]\)|\[ fs\]| (?=\||$)/g, '')).join('|');
}

/** Joins the words that begin with the same letter, because V8 would otherwise try a hundred words at each position. */
function byFirstLetter(words: string): RegExp {
  const groups = Map.groupBy(words.split('|'), ([first]) => first);
  const joined = [...groups].map(
    ([first, own]) => `${first}(?:${own.map((word) => word.slice(1)).join('|')})`,
  );
  return new RegExp(joined.join('|'));
}

/** Returns the meanings of a lower-case word. */
export function kindsOf(word: string): number {
  if (word.length > 40) return 0;
  const known = meanings.get(word);
  if (known !== undefined) return known;
  const folded = foldWord(word);
  const meaning = meanings.get(folded) ?? meanings.get(withoutAffixes(folded)) ?? compoundKinds(folded);
  // `Einmal-PIN`: the first part alone says what the code is for.
  if ((meaning & ~kind.secure) !== 0 || !/['’-]/.test(folded)) return meaning;
  const joined = folded.split(/['’-]/).reduce((sum, part) => sum | simpleKinds(part), meaning);
  return joined & kind.other ? joined & ~kind.code : joined;
}

function simpleKinds(word: string): number {
  return meanings.get(word) ?? compoundKinds(word);
}

function compoundKinds(word: string): number {
  const secure = secureStems.test(word);
  if (inflected.test(word)) return kind.code;
  if (codeEnd.test(word)) return codeCompound(word, secure);
  if (secretEnd.test(word)) {
    if (secure)
      return confirmations.test(word) || userNumber.test(word) ? kind.named : kind.code | kind.oneTime;
    return word.endsWith('nummer') ? kind.named | kind.numeral : kind.secret;
  }
  return secure ? kind.secure : 0;
}

function codeCompound(word: string, secure: boolean): number {
  if (secure || /verif|bestatig|uberpruf|freigabe|authent|autoris/.test(word))
    return kind.code | kind.oneTime;
  if (otherCompound.test(word)) return kind.other;
  // A hyphen may join a brand to the word: `Netflix-Code`.
  return isTypedPart(word) || word.includes('-') ? kind.code : kind.code | kind.compound;
}

/** Removes the article, conjunctions and possessive endings from an Arabic or Hebrew word. */
function withoutAffixes(word: string): string {
  if (/^[\u05d0-\u05ea]{3,}$/.test(word)) return word.replace(/^[והבלכשמ]/, '');
  return /^[\u0621-\u06d3]{4,}$/.test(word)
    ? word.replace(/^(?:[وفبلك]?ال|[وفبل])/, '').replace(/(?:كم|ك|ه)$/, '')
    : word;
}

/** Checks for an abbreviation, or for a word used in bookings, whose numbers are not codes. */
export function namesNoSecret(word: string): boolean {
  // `Numéro d'identification`
  const folded = foldWord(word).replace(/^[dl]['’]/, '');
  return confirmations.test(folded) || ids.test(folded);
}

/** Checks for a word that announces a code only together with a word of kind `secure`. Some keys, for example, are not typed. */
export function isKey(word: string): boolean {
  return keys.test(foldWord(word));
}

/** Checks for a capitalized word that is a notice, a greeting or a button. */
export function isNotice(word: string): boolean {
  return notices.has(word);
}

/** Checks for a word that says where to find a code: `below`. */
export function pointsBelow(text: string): boolean {
  return below.test(text.toLowerCase());
}

/** Splits a run of letters such as `您的验证码是`, in a script that does not separate words. */
export function splitRun(run: string): { word: string; at: number }[] {
  const words: { word: string; at: number }[] = [];
  let end = 0;
  for (const match of run.matchAll(runWords)) {
    if (match.index > end) words.push({ word: run.slice(end, match.index), at: end });
    words.push({ word: match[0], at: match.index });
    end = match.index + match[0].length;
  }
  if (end < run.length) words.push({ word: run.slice(end), at: end });
  return words;
}

/** Checks cheaply whether lower-case text may announce a code. May return true for other text, but never misses an announcement. */
export function mayAnnounceCode(lower: string): boolean {
  return hasPiece(stems, lower);
}

/** Checks cheaply whether lower-case text may ask the reader to type a code. */
export function mayAskForCode(lower: string): boolean {
  return hasPiece(uses, lower);
}

/** Checks cheaply whether a line of lower-case text may announce a code or ask for one. Never misses one. */
export function mayNameCode(lower: string): boolean {
  return hasPiece(hints, lower);
}

function hasPiece(pieces: { ascii: RegExp; other: RegExp }, lower: string): boolean {
  return pieces.ascii.test(lower) || (!isAscii(lower) && pieces.other.test(lower));
}
