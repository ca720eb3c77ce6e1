import type { LinkKind } from '#core/messages/content.ts';
import { listWords } from './words.ts';

/** Known purpose of a link. */
export type Purpose = Exclude<LinkKind, 'other'>;

/** Words in labels and in the sentences next to a link. The first kind that matches wins. */
export const labelWords: [Purpose, string[]][] = [
  [
    'unsubscribe',
    listWords(`
      unsubscrib, _opt out, _optout, email preference, mail preference, mail setting, gérer mes préférences,
      gérer vos préférences, notification setting, notification preference, subscription preference,
      communication preference, manage preferences, stop receiving, update preferences,
      update your preferences, manage your preferences, manage notifications, manage your notifications,
      turn off notification, turn off these, turn off email, no longer wish to receive,
      no longer want to receive, don t want to receive, do not want to receive, don t wish to receive,
      do not wish to receive, don t want these, stop these, stop getting, remove me from,
      remove yourself from, keine weiteren e mails, keine e mails mehr, keinen newsletter mehr,
      keine newsletter mehr, nicht mehr erhalten, nicht länger erhalten, ne plus recevoir, plus recevoir nos,
      no desea recibir, no deseas recibir, no quiere recibir, no quieres recibir, dejar de recibir,
      più ricevere, smettere di ricevere, mais receber, deixar de receber, niet meer ontvangen,
      niet langer ontvangen, geen e mails meer, inte längre få, inte längre ta emot, ikke længere modtage,
      ikke lenger motta, nie chcesz otrzymywać, nie chcesz już otrzymywać, nie chcesz więcej,
      не хотите получать, больше не получать, не желаете получать, не хочете отримувати, almak istemiyorsanız,
      配信を停止, 受信を停止, 配信を希望され, 不想再收到, 不想继续收到, 수신을 원하지, 수신을 원치, abmelden, abbestell, austragen, désabonn,
      desabonn, désinscri, desinscri, darse de baja, darme de baja, dar de baja, date de baja,
      cancelar suscripción, cancelar la suscripción, cancelar mi suscripción, anular suscripción,
      anular la suscripción, annulla iscrizione, annulla l iscrizione, cancella iscrizione,
      cancella l iscrizione, cancellati dalla, disiscri, cancelar inscrição, cancelar a inscrição,
      cancelar subscrição, cancelar a subscrição, descadastr, desinscrev, afmelden, uitschrijv, avregistrer,
      avprenumerera, avsluta prenumeration, afmeld, frameld, avmeld, meld deg av, peruuta tilau, peru tilau,
      lopeta tilau, wypisz, anuluj subskrypcję, rezygnuj z subskrypcji, odhlásit odběr, zrušit odběr,
      leiratkoz, dezabon, отпис, dona t de baixa, donar se de baixa, zrušiť odber, odjava_, odjavi se,
      отказаться от рассыл, відписа, abonelikten çık, aboneliği iptal, listeden çık, επεγγραφ, απεγγραφ, 配信停止,
      配信解除, 購読解除, 購読停止, 登録解除, 退订, 退訂, 取消订阅, 取消訂閱, 수신거부, 수신 거부, 구독 취소, 구독취소, 구독 해지, إلغاء الاشتراك,
      الغاء الاشتراك, सदस्यता समाप्त, सदस्यता रद्द, अनसब्सक्राइब, hủy đăng ký, huỷ đăng ký,
      berhenti berlangganan, ยกเลิกการสมัคร, ยกเลิกการรับ, הסרה מרשימ, ביטול מנוי, ביטול הרשמה, ביטול רישום,
      odsubskryb, batal berlangganan, 登録を取り消, 登録取消, cancelar assinatura, cancelar a assinatura, διαγραφή από,
      poistu postituslista
    `),
  ],
  [
    'reset',
    listWords(`
      _reset, password reset, password change_, passwordreset, forgot password, forgot your password,
      forgot my password, forgotpassword, forgotten password, new password, newpassword, recover your account,
      recover my account, restore access, regain access, recover access, recover your access, recover account,
      recover password, recover your password, account recovery, password recovery, change password,
      changepassword, change your password, change my password, set password, setpassword, set your password,
      set a password, set up your password, choose a password, choose your password, create password,
      create a password, create your password, update password, update your password, zurücksetz, zuruecksetz,
      passwort vergessen, kennwort vergessen, neues passwort, neues kennwort, passwort ändern,
      kennwort ändern, passwort festlegen, passwort erstellen, réinitialis, reinitialis, mot de passe oublié,
      nouveau mot de passe, changer le mot de passe, changer de mot de passe, changer mon mot de passe,
      changer votre mot de passe, modifier le mot de passe, modifier mon mot de passe,
      choisir un mot de passe, définir un mot de passe, définir mon mot de passe, créer un mot de passe,
      restablec, recuperar contraseña, recuperar la contraseña, recuperar tu contraseña,
      recuperar mi contraseña, recuperar acceso, recuperar cuenta, recuperar mi cuenta, cambiar contraseña,
      cambiar la contraseña, cambiar mi contraseña, cambia tu contraseña, nueva contraseña, crear contraseña,
      crear una contraseña, olvidado la contraseña, olvidado tu contraseña, olvidaste, redefinir, redefina,
      redefinição, nova senha, alterar senha, alterar a senha, criar senha, recuperar senha,
      recuperar a senha, recuperar minha senha, recuperar acesso, recuperar o acesso, recuperar seu acesso,
      recupera account, recupera il tuo account, recupera l account, esqueceu, nova palavra passe,
      repor palavra passe, repor a palavra passe, reimposta, ripristina, nuova password, cambia password,
      cambia la password, recupera password, recupera la password, password dimenticata, wachtwoord opnieuw,
      wachtwoord herstel, herstel je wachtwoord, herstel uw wachtwoord, wachtwoord vergeten, nieuw wachtwoord,
      wachtwoord wijzigen, wachtwoord instellen, återställ, nytt lösenord, byt lösenord, glömt lösenord,
      nulstil, ny adgangskode, skift adgangskode, tilbakestill, nytt passord, endre passord, nollaa,
      palauta salasana, vaihda salasana, uusi salasana, zresetuj, resetuj, resetowanie, nowe hasło,
      zmień hasło, zmiana hasła, ustaw hasło, odzyskaj hasło, obnovit heslo, obnovení hesla, nové heslo,
      změnit heslo, visszaállít, új jelszó, elfelejtett jelszó, parolă nouă, schimbă parola, сброс, сбросить,
      восстанов, новый пароль, сменить пароль, изменить пароль, скинути, скидання, відновити, новий пароль,
      змінити пароль, sıfırla, yeni şifre, yeni parola, şifremi unuttum, şifre değiştir, επαναφορά,
      νέο κωδικό, αλλαγή κωδικού, 再設定, リセット, パスワードの変更, パスワードを変更, パスワード変更, 新しいパスワード, 重置, 重設, 重设, 找回密码, 修改密码,
      新密码, 忘记密码, 忘記密碼, 재설정, 비밀번호 변경, 비밀번호 초기화, 비밀번호 찾기, 새 비밀번호, إعادة تعيين, اعادة تعيين, كلمة مرور جديدة,
      تغيير كلمة المرور, كلمة السر, रीसेट, नया पासवर्ड, पासवर्ड बदल, đặt lại, mật khẩu mới, đổi mật khẩu,
      atur ulang, setel ulang, kata sandi baru, รีเซ็ต, ตั้งรหัสผ่านใหม่, เปลี่ยนรหัสผ่าน, איפוס סיסמ,
      סיסמה חדשה, לאפס סיסמ, לאפס את סיסמ, לאפס את הסיסמ, איפוס ססמ, לאפס את ססמ, zresetow, reset hasł,
      επαναφέρ, αλλάξετε τον κωδικό, αλλάξτε τον κωδικό, recuperar password, recuperar a password,
      parolanızı yenile, şifrenizi yenile, parola yenile, şifre yenile, thiết lập lại mật khẩu, menata ulang,
      tata ulang, nullstill, passwort wiederher, konto wiederher, kontowiederher, récupérer votre compte,
      récupérer mon compte, récupération de votre compte, récupération de compte, récupération du compte,
      recuperación de cuenta, recuperación de la cuenta, recuperación de tu cuenta, recuperación de su cuenta,
      recuperar su cuenta, recuperar tu cuenta, recupero account, recupero del tuo account,
      recupero dell account, recuperação de conta, recuperação da conta, recuperar sua conta,
      recuperar a sua conta, accountherstel, herstel van je account, herstel van uw account,
      odzyskiwania konta, odzyskiwanie konta, odzyskanie konta, odzyskać konto, відновлен, obnovení účtu,
      obnovit účet, recuperarea contului, recupera contul, アカウントの復旧, アカウントを復旧, アカウント復旧, 계정 복구, 恢复账号, 恢复账户,
      恢复帐户, 恢復帳號, 帳號恢復, 账号恢复, রিসেট, રીસેટ, ਰੀਸੈਟ, రీసెట్, ಮರುಹೊಂದಿ, പുനഃസജ്ജ, ပြန်လည်သတ်မှတ်, ailosod,
      athshocr
    `),
  ],
  [
    'verify',
    listWords(`
      verif, vérif, confirm, _email change_, _e mail change_, change of email, _activat, _activer, _activez,
      réactiver, réactivez, reactiveren, reactiveer, _activar, activa tu, activa la, _validate your,
      _validate my, _validate email, _validate account, valider mon, valider votre, valider l, validez,
      validar, convalid, complete your registration, yes subscribe, subscribe me_, complete registration,
      set up your account, set up my account, account setup, finish setting up, finish creating your account,
      complete your account, _authorize this, _authorise this, _authorize device, _authorise device,
      approve this sign in, approve this login, complete your sign up, complete sign up, complete signup,
      finish signing up, finish sign up, finish your registration, finish registration, unlock your account,
      unlock my account, unlock account, yes it was me, this was me, yes that s me, yes this is me,
      this is my email, finish setup, finish initiali, set it up here_, approve device, approve this device,
      trust this device, approve sign in, approve login, bestätig, bestaetig, _aktivier, kontoaktivier,
      freischalt, registrierung abschließen, anmeldung abschließen, finaliser mon inscription,
      finaliser l inscription, terminer l inscription, completar registro, completar el registro,
      completa tu registro, finalizar registro, concluir cadastro, concluir registo, concluir o registo,
      _ativar, _ative_, _ativação, completa la registrazione, _attiva_, _attivare, _attivazione, conferm,
      bevestig, _activeer, bekräfta, _aktiver, bekræft, bekreft, vahvista, _aktivoi, potwierd, _aktywuj,
      _aktywacj, weryfik, ověř, potvrd, _aktivovat, _aktivac, megerősít, hitelesít, _aktivál, _activeaz,
      подтвер, _активир, _активац, реактивир, верифик, підтверд, _активув, перевірити адресу, doğrula, onayla,
      etkinleştir, aktifleştir, aktive et, επιβεβαί, επαλήθευ, _ενεργοπο, επανενεργοπο, 確認, 認証, 有効化, アクティベート,
      本登録, 登録を完了, 验证, 驗證, 激活, 确认, 認證, 啟用帳, 启用账, 인증, 확인, 활성화, تأكيد, تاكيد, تحقق, التحقق, تفعيل, فعل حساب,
      فعّل, सत्यापित, सत्यापन, पुष्टि, सक्रिय, xác nhận, xác minh, kích hoạt, konfirmasi, _aktifkan,
      mengaktifkan, aktivasi, ยืนยัน, เปิดใช้งาน, אימות, אמת את, אשר את, אישור כתובת, הפעל את, _potrdi,
      потврд, потвърд, потвърж, təsdiq, _kinnita, patvirtin, apstiprin, _sahkan, stadfest, staðfest, _konfirm,
      kumpirma, _ripoho, _актыв, დაადასტურ, تایید, تأیید, تصدیق, নিশ্চিত, ຢືນຢັນ, បញ្ជាក់, ස්ථිර, entsperr,
      débloqu, déverrouill, desbloque, desbloqu, sblocca, ontgrendel, ontsluit, lås upp, lås opp,
      lås min konto op, konto op_, gjenåpne, lukitu, odblok, odomkn, otključ, откључ, отключв, отключи акаунт,
      отключи профил, отключете, отклучи, odkleni, feloldás, разблок, розблок, разблак, blokdan çıxar,
      deblochea, atbloķ, ava konto, shkyç, kilidini aç, hesabımı geri aç, ξεκλείδ, ロック解除, ロックを解除, 解锁, 解鎖,
      잠금 해제, إلغاء قفل, الغاء قفل, حساب مرا باز, baieztatu, egiaztatu, _gaitu_, gaitzeko, לאמת_, אמת אי,
      _הפעלת חשבון, להפעיל את, להפעלת, tasdiqla, _aktivira, aktivigi, _aktiveeri, ակտիվաց, ակտիւաց, virkja,
      有効にす, აქტიურ, activați, activati_, _activa adres, _activa cont, _aktivác, _aktivuj, _overte_, _overiť,
      _overeni, aktivizo, aktivizim, చేతనం, 启用您, 啟用您, 启用你, 啟用你, 開通您, 開通你, 开通您, 开通你, επιβεβαι, επαληθευ,
      _ενεργοποι, aktivləşdir, aktyvuo, aktyvav, aktivizā, идэвхжүүл, баталгаажуул, செயல்படுத்த,
      உறுதிப்படுத்த, mengesahkan, _فعال سازی, เปิดบัญชี, अनलॉक, আনলক, mở khoá, mở khóa, buka kunci, ปลดล็อ,
      ປົດລັອກ, נעילת, unlock_, 検証, yes it s me, double opt in, _link accounts_, registrierung abzuschließen,
      anmeldung abzuschließen, registrierung abschliessen, finaliser votre inscription,
      finalisez votre inscription, finaliser ton inscription, terminer votre inscription,
      completar su registro, completar tu registro, complete su registro, finalizar su registro,
      finalizar tu registro, concluir seu cadastro, concluir o cadastro, concluir o seu registo,
      finalizar seu cadastro, completar seu cadastro, completare la registrazione,
      completare la tua registrazione, completa la tua registrazione, registratie voltooi,
      registratie te voltooi, registratie afrond, registratie af te rond, dokończ rejestr, dokończyć rejestr,
      zakończ rejestr, zakończyć rejestr, dokončit registr, dokončete registr, dokončení registr,
      dokončiť registr, завершить регистр, завершите регистр, завершения регистр, завершити реєстр,
      завершіть реєстр, завершення реєстр, kaydınızı tamamla, kaydını tamamla, kaydı tamamla, 完成注册, 完成註冊,
      가입 완료, 가입을 완료, 등록을 완료, slutför din registrering, slutföra din registrering, fuldfør din registrering,
      fuldføre din registrering, fullfør registrering, fullføre registrering, finaliza înregistr,
      finalizează înregistr, hoàn tất đăng ký, menyelesaikan pendaftaran, selesaikan pendaftaran,
      إكمال التسجيل, اكمال التسجيل, השלמת ההרשמה, להשלים את ההרשמה, הפעלת החשבון, _validación, _validazione,
      _validação, _valideren, _valideer, _aktywow, aktivasyon, aktifasi, mengonfirmasi, potvrz, potvrď,
      visszaigazol, regisztrációd jóváhagy, regisztráció jóváhagy, mail cím ellenőrz, mail címét,
      tarkista sähköposti, 이메일 승인, dokončení vaší registr, dokončení vašej registr, לסיים הרשמ, אשר רישום,
      אישור רישום, überprüfen sie ihre e mail adresse, ολοκληρώσετε την εγγραφή, ολοκλήρωση της εγγραφής,
      যাচাই, ధృవీక, నిర్ధార, ચકાસ, પુષ્ટિ, ಪರಿಶೀಲ, ದೃಢೀಕ, സ്ഥിരീക, ਪੁਸ਼ਟੀ, पुष्टी, प्रमाणित गर, հաստատ,
      растау, раста_, растаңыз, ырасто, ырастаңыз, အတည်ပြု, ផ្ទៀង, thibitisha, තහවුරු, ያረጋግጡ, cadarnh, gwirio,
      gwiriwch, fíoraigh, deimhn, пацвердз, пацьвердз, пацвярдж, l activació, aktivizē, சரிபார், patunayan,
      baiezta, preverite svoj, preverite e
    `),
  ],
  [
    'invite',
    listWords(`
      invit, accept your, accept join_, _join here_, _join now_, _join the_, _join us, _join your, _join team,
      _join workspace, _join organi, _join project, _join my, einlad, beitreten, rejoindre, rejoignez,
      _unirse, _unirme, _únete, _convite, junte se, unisciti, uitnodig, deelnemen, _inbjud, gå med i, bli med,
      _kutsu, _liity, zaprosz, zaproś, dołącz, pozván, připoj, meghív, csatlakoz, приглаш, присоедин, запрош,
      приєдна, _davet, katıl, πρόσκλησ, 招待, 参加する, チームに参加, 邀请, 邀請, 加入团队, 加入團隊, 초대, 참여하기, 팀 참여, دعوة, الدعوة,
      انضم, निमंत्रण, आमंत्रण, शामिल हों, lời mời, tham gia, undangan, bergabung, คำเชิญ, เข้าร่วม, הצטרף,
      הצטרפות, קבל את ההזמנה, קבלת ההזמנה, entrar na equipe, entrar na equipa, entrar na organiza,
      entrar no time, sluit je aan, sluit u aan, קבל הזמנה, הזמין אות, הוזמנת, jemputan, dəvət, запраш,
      позивниц, pozivnic, t ha convidat, gonbidap, kviet, ielūg, _kutse, _povabil, _vabilo, ftesë, دعوت,
      আমন্ত্রণ, அழைப்ப, ఆహ్వాన, આમંત્રણ, მოწვევ, հրավեր, taklif, mwaliko, ግብዣ, покан, prihvati poziv,
      prihvatite poziv, poziv s_, gwahodd, wahodd, imbitasyon, cuireadh, шақыр, чакыр, អញ្ជើញ, ಆಮಂತ್ರಣ, ക്ഷണ,
      ဖိတ်, निमन्त्रण, ਸੱਦਾ, ආරාධන, pozvan, uzaicin, _vablj
    `),
  ],
  [
    'login',
    listWords(`
      magic link, magiclink, _log in_, _login_, userlogin, emaillogin, _sign in_, _signin_, _signing in_,
      log me in, sign me in, _anmelden, einloggen, anmeldelink, _connexion_, se connecter, me connecter,
      _je me connecte_, _connectez vous, connecte toi, accéder à mon compte, accéder à votre compte,
      accéder à mon espace, accéder à votre espace, accédez à votre compte, accède à ton compte,
      iniciar sesión, inicia sesión, inicie sesión, acceder a mi cuenta, acceder a tu cuenta,
      acceder a su cuenta, acceder a la cuenta, accede a tu cuenta, acceda a su cuenta, ingresar a mi cuenta,
      ingresar a tu cuenta, ingresar a su cuenta, ingresa a tu cuenta, ingrese a su cuenta,
      entrar en mi cuenta, entrar en tu cuenta, entra en tu cuenta, entrar a mi cuenta, iniciar sessão,
      inicie sessão, inicia sessão, fazer login, faça login, entrar na conta, entrar na minha conta,
      entrar na sua conta, entre na sua conta, entrar com, acessar conta, acessar a conta,
      acessar minha conta, acessar a minha conta, acessar sua conta, acessar a sua conta, acesse sua conta,
      acesse a sua conta, aceder à conta, aceder à minha conta, aceder à sua conta, aceda à sua conta,
      accedi al tuo account, accedi al suo account, accedi all account, accedi al conto, accedi al tuo conto,
      accedi al profilo, accedi all area, accedi con_, effettua l accesso, effettua il login, inloggen,
      aanmelden, logga in, log ind_, logg inn, logg på, kirjaudu, zaloguj, přihlásit, přihlášení, bejelentkez,
      conectează, autentific, войти в аккаунт, войти в систему, войти в личный, _войти_, вход в аккаунт,
      вход в систему, вход в личный, вход в учет, увійти, вхід до, вхід в акаунт, giriş yap, oturum aç,
      giriş bağlant, σύνδεση_, συνδεθ, ログイン, サインイン, 登录, 登錄, 登入, 로그인, تسجيل الدخول, تسجيل دخول, سجل الدخول,
      सिग इन, साइन इन, लॉग इन, लॉगिन, đăng nhập, _masuk ke_, _log masuk_, เข้าสู่ระบบ, התחבר, כניסה לחשבון
    `),
  ],
];

/**
 * Words for a password. A label that contains one of them and names no other purpose changes the password: languages have more verbs for
 * this than a list can contain.
 */
export const passwordWords = listWords(`
  password, passwort, kennwort, mot de passe, contraseña, contrasenya, _senha_, palavra passe, wachtwoord,
  wagwoord, lösenord, adgangskode, kodeord, passord, lykilor, salasan, _hasł, _hesl, jelsz, _parol, _parool,
  парол, slaptažod, lozink, лозинк, _gesl, şifre, şifrə, fjalëkalim, pasvort, κωδικού πρόσβασ,
  κωδικό πρόσβασ, κωδικός πρόσβασ, συνθηματικ, パスワード, 密码, 密碼, 비밀번호, 암호, كلمة مرور, كلمة المرور, رمز عبور,
  خفیہ لفظ, pasahitz, нууц үг, contrasinal, zapork, mật mã, palavra chave, گذرواژه, کلمه عبور, கடவுச்சொல்,
  salasõna, पासवर्ड, পাসওয়ার্ড, mật khẩu, kata sandi, kata laluan, รหัสผ่าน, ລະຫັດຜ່ານ, ពាក្យសម្ងាត់,
  මුරපද, პაროლ, סיסמ, ססמ, գաղտնաբառ, құпиясөз, құпия сөз, сырсөз, nenosiri, የይለፍ ቃል, پاس ورڈ, پاسورڈ,
  رمز عبور, رمزعبور, పాస్ వర్డ్, પાસવર્ડ, ਪਾਸਵਰਡ, പാസ് വേഡ്, ಪಾಸ್ ವರ್ಡ್, ಪಾಸ್ವರ್ಡ್, စကားဝှက်, cyfrinair,
  pasfhoca
`);

/** Words for what a page shows. A link that resets it changes no password. */
export const displayWords = listWords(`
  filter, filtre, filtro, filtri, suodat, filtr_, filtry, szűrő, фильтр, фільтр, φίλτρ, フィルタ, 絞り込み, 筛选, 篩選,
  필터, _layout_, to default_, to defaults_, reset view_, reset my view, reset search, reset form_,
  reset setting, reset my setting, reset your setting, reset preference, reset my preference,
  reset your preference, reset device_, reset your device_, reset my device_, reset the device_,
  reset this device_, factory reset, gerät zurücksetz, réinitialiser l appareil, réinitialiser votre appareil,
  restablecer el dispositivo, restablecer dispositivo, restablecer tu dispositivo, ripristina il dispositivo,
  reimposta il dispositivo, redefinir dispositivo, redefinir o dispositivo, apparaat resetten,
  сбросить устройство, zresetuj urządzenie, cihazı sıfırla, デバイスをリセット, 重置设备, 重置裝置, 기기 재설정, 기기 초기화
`);

/** Labels that mean signing in, alone or with words such as "now". In a sentence, they mean visiting or entering something. */
export const loginLabels = new Set(
  listWords(`
    access, acceder, accede, acceda, ingresar, ingresa, ingrese, entrar, entra, entre, acessar, acesse,
    aceder, accedi, accéder, masuk, вход, вхід, войти, kirjaudu, ورود, prisijungimas, prisijungti,
    prihlásenie, pristup, prijava
  `),
);
export const nowWords = new Set(
  listWords(`
    your account, my account, ahora, ya, aquí, aqui, agora, já, ora, adesso, subito, qui, maintenant, ici,
    sekarang, di sini, сейчас, здесь
  `),
);

/** Short words that name a purpose only in paths and parameters. */
export const pathWords: [Purpose, string[]][] = [
  ['unsubscribe', listWords('_unsub_, optout, opt out, email settings, baja, abmeldung, abmelden')],
  [
    'reset',
    listWords(`
      resetpass, passreset, pwreset, pwd reset, _recover_, _recovery_, _recuperar_, password edit, new pass,
      forgot, lost pass, lostpass, _passwords_, update password, updatepassword, sendpassword, send password,
      setpass
    `),
  ],
  [
    'verify',
    listWords(`
      _optin_, _opt in_, _activat, reactivat, accountactivat, useractivat, emailverif, mailconfirm, _unlock_,
      _validat, emailvalidat, aktivier, _change email_, _changeemail_, _email change_, _emailchange_,
      _email update_, _emailupdate_, _authorize email_
    `),
  ],
  ['invite', listWords('_join_, _accept invite_')],
  ['login', listWords('_magic_, signin_, signinw, signinl, signinb, _sso_, _log me in_, _callback email_')],
];

/** Words in a path that mean signing in, even if another word in the path means verifying: `/magic-link/verify`. */
export const loginPaths = listWords(`
  magic link, magiclink, passwordless, _email login_, _emaillogin_, login with email, loginwithemail
`);

/** Short values of parameters that name an action, such as WordPress's `action=rp`. */
export const actWords: [Purpose, string[]][] = [
  ['reset', listWords('_rp_, _pwd_, _reminder_, _retrievepassword_, _credentials_')],
];
