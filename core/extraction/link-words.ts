import type { LinkKind } from '#core/messages/content.ts';

/**
 * Words that tell what a link is for, as they stand in its text, its URL or the text beside it, in lower case.
 * The first kind that has one of its words there is the link's.
 */
const WORDS: [Exclude<LinkKind, 'other'>, string[]][] = [
  [
    'unsubscribe',
    'unsubscrib,opt-out,opt out,optout,email preferences,notification settings,abmelden,abbestellen,désabonner,désinscri,darse de baja,cancelar suscripción,annulla iscrizione,disiscri,afmelden,uitschrijven,avregistrera,cancelar inscrição,descadastr,отписаться,配信停止,退订,退訂,수신거부'.split(
      ',',
    ),
  ],
  [
    'reset',
    'reset,forgot password,forgot-password,forgot_password,new password,recover,change password,change-password,set password,set-password,zurücksetzen,neues passwort,réinitialis,mot de passe oublié,restablecer,recuperar,redefinir,reimposta,wachtwoord opnieuw,återställ,сброс,восстанов,パスワードの再設定,リセット,重置,重設,재설정'.split(
      ',',
    ),
  ],
  [
    'verify',
    'verif,confirm,activat,validate your,validate email,validate-email,bestätig,aktivier,vérifi,activer,confirmar,activar,verificar,attiva,conferma,bevestig,bekräfta,aktivera,potwierd,aktywuj,подтвер,активир,確認,認証,验证,驗證,激活,인증,확인'.split(
      ',',
    ),
  ],
  [
    'invite',
    'invit,accept your,join the,join us,join your,join team,join workspace,/join,einlad,beitreten,rejoindre,invitación,convite,uitnodig,inbjud,zaprosz,приглаш,招待,邀请,邀請,초대'.split(
      ',',
    ),
  ],
  [
    'login',
    'magic,log in,login,log-in,sign in,signin,sign-in,log me in,anmelden,einloggen,connexion,se connecter,connectez,iniciar sesión,acceder,accedi,entrar,inloggen,logga in,zaloguj,войти,вход,ログイン,登录,登錄,로그인'.split(
      ',',
    ),
  ],
];

const MAX_JUDGED = 2000;

/** What a text that belongs to a link says about it, or null where it says nothing. */
export function kindOf(text: string): Exclude<LinkKind, 'other'> | null {
  const judged = text.slice(0, MAX_JUDGED).toLowerCase();
  return WORDS.find(([, words]) => words.some((word) => judged.includes(word)))?.[0] ?? null;
}
