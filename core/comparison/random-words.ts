/**
 * Pieces of a word: a run of lower-case letters that may start with a capital, a run of capitals, or a number. `iPhone15Pro` has four.
 */
const pieces = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Rules for random words: a word of at least `from` characters is random if its pieces have at most `mean` characters on average. */
type Measure = { from: number; mean: number }[];
const measures: Record<'hexadecimal' | 'mixed' | 'small' | 'capitals', Measure> = {
  hexadecimal: [
    { from: 16, mean: 5.5 },
    { from: 8, mean: 3.5 },
  ],
  mixed: [
    { from: 20, mean: 3 },
    { from: 14, mean: 2.6 },
    { from: 10, mean: 2.2 },
    { from: 8, mean: 1.7 },
  ],
  small: [
    { from: 16, mean: 3.5 },
    { from: 10, mean: 2.2 },
  ],
  // Numbers of bank accounts, customers and vehicles have few pieces.
  capitals: [
    { from: 24, mean: 4 },
    { from: 20, mean: 3 },
    { from: 16, mean: 2.4 },
  ],
};
/** Sizes in image names: `w600h300`. */
const sizes = /^(?:[a-z]{1,2}[0-9]{1,4}){2,4}$/;
/** Minimum length of a word that counts as random if too little of it is pronounceable. */
const unspoken = 14;
const spokenShare = (length: number) => (length < 20 ? 0.4 : 0.5);

/**
 * Checks whether a word of ASCII letters and digits is random: its letters and digits alternate more often than in names that people
 * choose, or it is not pronounceable. Numbers are not random.
 */
export function isRandom(word: string): boolean {
  if (word.length < 8 || word.length > 1_000 || !/[a-z]/i.test(word) || isIban(word)) return false;
  const [small, capital, digit] = [/[a-z]/, /[A-Z]/, /[0-9]/].map((kind) => kind.test(word));
  const isHex = /^[0-9a-f]+$/.test(word);
  if ((!digit && !(small && capital)) || (!isHex && word.length < 16 && sizes.test(word))) return false;
  const kind = small && capital ? 'mixed' : isHex ? 'hexadecimal' : small ? 'small' : 'capitals';
  const mean = measures[kind].find(({ from }) => word.length >= from)?.mean ?? 0;
  const found = word.match(pieces) ?? [];
  if (word.length / found.length <= mean && (digit || word.length >= unspoken)) return true;
  if (kind === 'capitals' || word.length < unspoken) return false;
  const spoken = found.filter(isSpoken).join('').length;
  const numbers = found.filter((piece) => /[0-9]/.test(piece)).length;
  return spoken <= word.length * spokenShare(word.length) && (kind === 'mixed' || numbers > 1);
}

/** Checks for a bank account number by its check digits (ISO 13616). */
function isIban(word: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(word)) return false;
  const turned = `${word.slice(4)}${word.slice(0, 4)}`;
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** Checks whether letters are pronounceable: at least three letters with a vowel and, except in long words, no long run of consonants. */
function isSpoken(letters: string): boolean {
  if (/^[A-Z][a-z]{9,}$/.test(letters)) return true;
  return letters.length >= 3 && /[aeiouy]/i.test(letters) && !/[bcdfghjklmnpqrstvwxz]{4}/i.test(letters);
}

/** Checks whether a word looks natural: at least four letters, among them a vowel, followed at most by a number. */
export function isReadable(word: string): boolean {
  return (
    /^(?:[A-Za-z][a-z]{3,}|[A-Z]{4,})[0-9]{0,4}$/.test(word) &&
    /[aeiouy]/i.test(word) &&
    !/[bcdfghjklmnpqrstvwxz]{6}/i.test(word)
  );
}
