import { listWords } from './words.ts';

/** Combines each word in the first list with each word in the second. */
const pairs = (first: string, others: string): string[] =>
  listWords(first).flatMap((one) =>
    listWords(others).map((other) => `${one.trimEnd()} ${other.trimStart()}`),
  );

/** Words for the condition that the reader did not request the email, in `listWords` form. */
export const conditions = [
  ...pairs(
    'you did not, you didn t, you have not, you haven t, you never, i did not, i didn t',
    `request, ask, initiat, make_, made_, do this, do it_, try_, tried_, attempt, sign, log, creat, chang, perform, authori, order, start,
    recogni, expect, submit, place_, trigger, appl, add, approve, just_`,
  ),
  ...listWords(`
    didn t request, did not request, haven t requested, didn t ask for this, not you_, changed your mind,
    change your mind, anders überlegt, wasn t you, isn t you, wasn t me, was not me, not me_, don t recogni,
    do not recogni, not recogni, not request, not initiated, not made by you, not authorized by,
    not authorised by, weren t you, were not you, wasn t done by you, someone else_, somebody else_,
    nicht angefordert, nicht angefragt, nicht beantragt, nicht veranlasst, nicht selbst, nicht erkenn,
    nicht wiedererkenn, nicht bekannt vor, nicht autorisiert, nicht durchgeführt, nicht vorgenommen,
    nicht versucht, nicht gestellt, nicht geändert, nicht angemeldet, nicht sie, nicht du, nicht von ihnen,
    nicht von dir, sie das nicht, sie dies nicht, sie es nicht, du das nicht, du es nicht, du dies nicht,
    pas vous, pas toi, n êtes pas à l, n es pas à l, pas à l origine, n étiez pas, pas demandé, rien demandé,
    pas effectué, pas initié, pas tenté, pas créé, pas essayé, pas sollicité, pas modifié, pas connecté,
    ne reconnaissez pas, ne reconnais pas, ne la reconnaissez pas, no fuiste tú, no fuiste vos, no fuiste,
    no has sido, no ha sido usted, no fue usted, no fui yo, no eres tú, no es usted, no solicitaste,
    no has solicitado, no ha solicitado, no solicitó, no lo solicit, no pediste, no has pedido, no ha pedido,
    no reconoce, no lo reconoce, no la reconoce, no has realizado, no realizaste, no ha realizado, no realizó,
    no has hecho, no hiciste, no has iniciado, no iniciaste, no ha iniciado, no intentaste, no has intentado,
    no creaste, no has creado, no cambiaste, não foi você, não foste tu, não fui eu, não é você, não és tu,
    não solicit, não fez ess, não fez est, não fez iss, não pediu, não pediste, não reconhec, não realizou,
    não iniciou, não tentou, não criou, não alterou, não foi o senhor, não partiu de si, não foi feit,
    non sei stat, non sei tu, non è stato lei, non è stata lei, non eri tu, non sono stat, non hai richiesto,
    non ha richiesto, non l hai richiest, non hai effettuato, non ha effettuato, non hai eseguito,
    non hai fatto, non riconosc, non lo riconosc, non la riconosc, non hai tentato, non hai provato,
    non hai creato, non hai modificato, non hai cambiato, niet jij, niet u_, jij dit niet, u dit niet,
    jij het niet, u het niet, jij dat niet, u dat niet, jij niet, niet aangevraagd, niet zelf, niet gevraagd,
    niet herken, herken je dit niet, herkent u dit niet, niet ingelogd, niet uitgevoerd, niet gewijzigd,
    niet door jou, niet door u_, niet verzocht, inte du_, inte var du, var det inte du, inte begärt,
    inte har begärt, inte bett, inte har bett, inte känner igen, känner du inte igen, inte försökt,
    inte själv, ikke dig_, ikke deg_, ikke du_, ikke var dig, ikke var deg, ikke anmodet, ikke har anmodet,
    ikke bedt, ikke har bedt, ikke genkend, genkender du ikke, ikke kjenner, ikke gjenkjenn, kjenner du ikke,
    ikke selv, ikke foretaget, ikke forespurt, ikke utført, ikke har forsøgt, et ollut sinä, et ole sinä,
    ollut sinä, et pyytänyt, et ole pyytänyt, et itse, et tunnista, et tehnyt, et ole tehnyt, et yrittänyt,
    se et ollut, ette pyytän, ette ole pyytän, nie ty_, nie byłeś, nie byłaś, nie byli państwo, nie prosił,
    nie pan_, nie pani_, nie państwo, nie rozpozna, nie żąda, nie wykon, nie logow, nie zalogow, nie zleca,
    nie wniosk, nie próbow, nie zmieni, nie zakłada, nie składa, nie inicj, nie poznaj, nejste to vy,
    to vy nejste, nebyl jste, nebyli jste, jste to nebyl, nebyl jsi, jsi to nebyl, to nejsi, nežádal,
    nepožádal, nepožadoval, nevyžádal, nepoznává, neproved, nepřihlašoval, nem ön_, nem te_, nem ön volt,
    nem te voltál, nem kér, nem ismer, nem végez, nem kezdemény, nu ai fost, nu ați fost, nu ai solicitat,
    nu ați solicitat, nu recuno, nu ai cerut, nu ai făcut, nu ești tu, nu ai încercat, не вы_, не ты_,
    не запраш, не запрос, не делал, не соверш, не входил, не узна, не пытал, не менял, не регистрир,
    не выполнял, не иниц, не просил, не оставлял, не ви_, не ти_, не запит, не робил, не входил, не впізна,
    не намагал, не змінюв, не реєстр, не здійсн, siz değil, sen değil, talep etmed, istemed, siz yapmad,
    sen yapmad, tanımıyor, size ait değil, sana ait değil, bilginiz dışında, denemed, δεν ήσασταν εσείς,
    δεν ήσουν εσύ, δεν είστε εσείς, δεν είσαι εσύ, δεν ζήτησ, δεν ζητήσ, δεν το ζητήσ, δεν αναγνωρίζ,
    δεν κάνατε, δεν έκανες, δεν το κάνατε, δεν το έκανες, 心当たり, 覚えのない, 覚えがない, 本人でない, 本人ではない, 自身でない, 自身ではない,
    自分でない, 自分ではない, 本人によるものでない, 本人によるものではない, あなたでない, あなたではない, 本人以外, 行っていない場合, リクエストしていない, 依頼していない, 要求していない,
    操作していない, 申請していない, 非本人, 非您, 非你, 不是您, 不是你, 不是本人, 不是由您, 并非您, 並非您, 没有申请, 未申请, 未申請, 沒有申請, 没有请求, 未请求, 未請求, 没有要求,
    未要求, 沒有要求, 没有进行, 未进行, 未進行, 沒有進行, 没有发起, 未发起, 未發起, 未曾, 无法识别, 不认识此, 不認得, 没有尝试, 没有操作, 未操作, 본인이 아닌, 본인이 아니,
    본인이 아닐, 본인이 한, 본인이 시도한, 본인이 요청한, 요청하지 않, 요청한 적이 없, 시도하지 않, 신청하지 않, 변경하지 않, 로그인하지 않, 귀하가 아닌, 귀하가 아니,
    회원님이 아닌, 회원님이 아니, 고객님이 아닌, 직접 하지 않, 직접 요청하지, 본인 아님, لم تكن انت, لم تكن أنت, لست انت, لست أنت, لم تطلب,
    لم تقم, لا تتعرف, لم تحاول, لم يكن أنت, لم تنشئ, لم تكن صاحب, आप नहीं, आपने नहीं, अनुरोध नहीं,
    आपने यह नहीं, नहीं पहचान, आपके द्वारा नहीं, không phải bạn, không phải là bạn, không phải do bạn,
    không phải quý khách, không yêu cầu, không nhận ra, không thực hiện, bukan anda, bukan kamu,
    tidak meminta, tidak pernah meminta, tidak melakukan, tidak mengenali, tidak merasa, ไม่ใช่คุณ,
    ไม่ได้ร้องขอ, ไม่ได้ขอ, ไม่ได้เป็น, ไม่ได้ทำ, ไม่รู้จัก, לא אתה, לא אתם, לא ביקש, לא ביצע, לא מזהה,
    לא היית
  `),
];

/** Words for what somebody who did not request the email should do. They mean that the condition does not apply to the link. */
export const dismissals = listWords(`
  ignor, disregard, not click, n t click, nicht klick, delete this, do nothing, no action,
  no further action, otherwise, safely, nothing will, keine aktion, nichts tun, nichts weiter,
  nichts unternehmen, andernfalls, sonst_, löschen sie, hinfällig, aucune action, rien faire, sinon_,
  tenir compte, haz caso, hacer nada, de lo contrario, caso contrário, desconsider, nessuna azione,
  altrimenti, niente, negeer, negeren, niets doen, anders_, ikke gøre, bortse, bort fra, gøre noget,
  zignoruj, pomiń, nic robić, w przeciwnym razie, figyelmen kívül, нічого, проигнор, ігнор, ничего,
  göz ardı, yok say, dikkate alma, αγνο, 無視, 破棄, 削除, 忽略, 무시, 삭제, تجاهل, अनदेखा, bỏ qua, abaikan, เพิกเฉย,
  ละเว้น, התעלמ, התעלם, huomiotta
`);
