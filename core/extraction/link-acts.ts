import { readUrl, wordsOf, wordsOfUrl } from './words.ts';

/** Words for actions that a request may carry out, in the languages and spellings that URL paths use. */
const acts = new Set(
  `confirm bestätigen bestaetigen confirmer confirmar confermare bevestigen potwierdź potwierdz подтвердить підтвердити delete remove destroy erase cancel approve disapprove accept reject decline deny vote upvote downvote pay rsvp attend revoke disable deactivate
  enable close stop pause resume refund transfer withdraw donate redeem claim publish unpublish archive restore resend retry rerun deploy rollback merge
  ack acknowledge resolve snooze dismiss subscribe renew upgrade downgrade logout signout submit execute trigger checkin purchase unfollow unblock transition
  löschen loeschen entfernen kündigen kuendigen stornieren storno abbrechen absagen zusagen genehmigen freigeben ablehnen zustimmen annehmen abstimmen zahlen bezahlen widerrufen
  supprimer effacer annuler approuver accepter refuser rejeter voter payer régler participer résilier resilier révoquer
  eliminar borrar cancelar anular aprobar aceptar rechazar votar pagar asistir revocar
  elimina eliminare cancella cancellare annulla annullare approva approvare accetta accettare rifiuta rifiutare vota votare paga pagare disdici disdire
  excluir apagar deletar aprovar aceitar recusar rejeitar remover
  verwijder verwijderen annuleer annuleren opzeggen goedkeuren accepteren weigeren afwijzen stem stemmen betaal betalen
  radera avbryt avboka avbeställ godkänn godkann acceptera avvisa rösta rosta betala slet slett annuller avbestill godkend godkjenn afvis avvis betal
  poista peruuta hyväksy hyvaksy hylkää hylkaa äänestä aanesta maksa
  usuń usun anuluj zatwierdź zatwierdz akceptuj odrzuć odrzuc głosuj glosuj zapłać zaplac opłać oplac
  smazat odstranit zrušit zrusit schválit schvalit přijmout zamítnout zamitnout hlasovat zaplatit törlés torles lemondás jóváhagyás elutasítás szavazás fizetés
  șterge sterge anulează anuleaza aprobă aproba respinge votează voteaza plătește plateste
  удалить отменить одобрить принять отклонить голосовать проголосовать оплатить udalit otmenit odobrit otklonit oplatit видалити скасувати схвалити відхилити сплатити
  sil iptal onayla kabul reddet oyla öde ode διαγραφή ακύρωση έγκριση απόρριψη ψήφος πληρωμή
  حذف إلغاء الغاء موافقة قبول رفض تصويت دفع हटाएं हटाएँ रद्द स्वीकार अस्वीकार भुगतान वोट xóa hủy huỷ duyệt hapus batal batalkan setujui tolak bayar מחק ביטול אשר דחה הצבע שלם`.split(
    /\s+/,
  ),
);

/** Words for such actions in languages that do not put spaces between words. */
const unspacedActs =
  /削除|取消|取り消|キャンセル|承認|却下|拒否|投票|支払|決済|出席|欠席|退会|解約|删除|刪除|批准|同意|拒绝|拒絕|付款|支付|삭제|취소|승인|거절|투표|결제|탈퇴|해지|ลบ|ยกเลิก|อนุมัติ|ปฏิเสธ|โหวต|ชำระ/;

/** Returns the action that a link names at the beginning or end of its text or of a part of its URL, or null. */
export function actOfLink(url: string, label: string): string | null {
  const { path, parameters } = readUrl(url);
  const parts = [...path.split('/'), ...parameters.flatMap(({ name, value }) => [name, value])];
  for (const text of [...parts.map(wordsOfUrl), wordsOf(label)]) {
    const words = text.trim().split(' ');
    const found = [words[0] ?? '', words.at(-1) ?? ''].find((word) => acts.has(word));
    if (found !== undefined) return found;
    const unspaced = unspacedActs.exec(text)?.[0];
    if (unspaced !== undefined) return unspaced;
  }
  return null;
}

/** Names of parameters that contain a secret, even a short one. */
const secretNames =
  /(?:^|[ _-])(?:token|jwt|otp|otc|passcode|secret|nonce|sig|signature|hmac|hash|ticket|code|key|auth|session|sid)$/;

/** Checks whether a URL's path, query or fragment contains a value that looks like a token. Takes linear time. */
export function looksLikeToken(url: string): boolean {
  const { path, parameters } = readUrl(url);
  // Base64 padding makes part of the path look like a parameter. A URL within a URL may be escaped several times.
  const values = [path, ...parameters.flatMap(({ name, value }) => [name, value])].map((value) =>
    value.replace(/%(?:25)*[\da-f]{2}/gi, '/'),
  );
  return (
    parameters.some(({ name, value }) => value !== '' && secretNames.test(wordsOfUrl(name).trim())) ||
    values.flatMap((value) => value.split('/')).some(isToken)
  );
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Checks whether a value is machine-made: a UUID, a value that consists mostly of machine-made parts, or one that is machine-made as a
 * whole.
 */
function isToken(value: string): boolean {
  if (value.length < 12) return false;
  if (uuid.test(value)) return true;
  const parts = value.split(/[^A-Za-z\d]+/);
  const made = parts.filter(isMachineMade).join('').length;
  const whole = parts.join('');
  return (
    (made >= 10 && made * 2 >= value.length) || (whole.length >= 12 && changesOf(whole) * 3 > whole.length)
  );
}

/** Checks whether a word is hexadecimal, or alternates between letters and digits or between cases. */
function isMachineMade(word: string): boolean {
  if (/^[\da-f]{8,}$/i.test(word)) return /\d/.test(word) && /[a-f]/i.test(word);
  const turns = turnsOf(word);
  const humps = changesOf(word) - turns;
  return (word.length >= 6 && turns >= 2) || (word.length >= 12 && humps >= 3 && humps * 8 > word.length);
}

/** Counts the places at which a digit is next to a letter. */
function turnsOf(word: string): number {
  return word.match(/\d(?=[a-z])|[a-z](?=\d)/gi)?.length ?? 0;
}

/** Counts the places at which a digit is next to a letter, or a capital follows a lower-case letter. */
function changesOf(word: string): number {
  return turnsOf(word) + (word.match(/[a-z](?=[A-Z])/g)?.length ?? 0);
}
