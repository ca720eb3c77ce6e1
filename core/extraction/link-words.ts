import { listWords } from './words.ts';

/** Beginnings of labels that ask how to do something, or explain it. */
export const helpBeginnings = listWords(`
  how to_, how do_, how can_, how does_, how your_, learn how_, learn more_, learn about_, what is_,
  what are_, why_, help_, get help_, need help_, faq_, guide_, read more_, read about_, read our_, tips_,
  troubleshoot, having trouble_, trouble_, problems_, contact_, wie_, so funktioniert_, so bestätig,
  so verifizier, anleitung_, hilfe_, brauchen sie hilfe_, mehr erfahren_, erfahren sie_, comment_,
  en savoir plus_, aide_, besoin d aide_, cómo_, más información_, saber más_, ayuda_, necesitas ayuda_,
  come si_, come verific, come conferm, come reimpost, come attiv, come acced, come fare_, scopri di più_,
  aiuto_, como_, saiba_, saiba mais_, ajuda_, precisa de ajuda_, hoe_, meer informatie_, lees meer_, hulp_,
  hur_, så här_, läs mer_, hjälp_, hvordan_, sådan_, læs mere_, les mer_, hjælp_, hjelp_, miten_, kuinka_,
  näin_, lue lisää_, ohje, jak_, dowiedz się_, pomoc_, nápověda_, více informací_, hogyan_, súgó_, cum_,
  ajutor_, află mai multe_, как_, подробнее_, узнать больше_, справка_, помощь_, як_, довідка_, допомога_,
  nasıl_, yardım_, daha fazla bilgi_, πώς_, βοήθεια_, ヘルプ, よくある質問, 詳しくは, 如何, 怎么, 怎样, 怎麼, 为什么, 帮助, 幫助, 常见问题,
  了解更多, 도움말, 자세히, 자주 묻는, كيف, مساعدة, المزيد, कैसे_, मदद_, सहायता_, अधिक जानें_, làm thế nào_, cách_,
  trợ giúp_, cara_, bagaimana_, bantuan_, วิธี, ช่วยเหลือ, איך_, כיצד_, עזרה_
`);

/** Words anywhere in a label that suggest help, or that ask the reader to invite others. */
export const helpWords = listWords(`
  _help center, _help centre, _help article, _faq_, step by step, nasıl yapılır, nasıl doğrulanır, 方法, やり方,
  手順, 하는 방법, 방법_, का तरीका, कैसे करें, from google calendar_, _invite friends, _invite a friend,
  _invite your friend, _invite your team, _invite your colleague, _invite more, _invite people,
  _invite others, _invite team, _invite colleague, freunde einlad, lade freunde, inviter des amis,
  inviter mes amis, invitez vos, invita a tus, invita a un amigo, convide, convidar amigos, invita i tuoi,
  invita un amico, пригласите друз, пригласить друз, 友達を招待, 友だちを招待, 邀请好友, 邀請好友, 친구 초대
`);

/** Words in a link that shows the email itself in a browser or elsewhere. */
export const browserWords = listWords(`
  view in browser, view in your browser, view this email, view this message, view email in,
  view it in your browser, open in browser, read in browser, see in browser, display in browser,
  view online, read online, view as web, web version, webversion, online version, im browser,
  online ansehen, online lesen, online version, webansicht, dans le navigateur, dans votre navigateur,
  version en ligne, version web, voir en ligne, en el navegador, en tu navegador, en su navegador,
  ver online, ver en línea, versión web, versión online, nel browser, nel tuo browser, versione web,
  versione online, no navegador, no seu navegador, versão web, versão online, in de browser, in je browser,
  in uw browser, webversie, online versie, i webbläsaren, i din webbläsare, webbversion, webbläsare,
  i browseren, i din browser, i nettleseren, i nettleser, selaimessa, verkkoversio, w przeglądarce,
  wersja online, wersję online, v prohlížeči, böngészőben, în browser, в браузере, веб верси, у браузері,
  tarayıcıda, tarayıcınızda, στο πρόγραμμα περιήγησης, ブラウザで, ブラウザーで, ウェブ版, web版, web 版, 在浏览器, 在瀏覽器, 网页版,
  網頁版, 브라우저에서, 웹에서 보기, في المتصفح, متصفحك, ब्राउज़र में, ब्राउज़र में, trong trình duyệt, di browser,
  di peramban, ในเบราว์เซอร์, בדפדפן
`);

/** Labels that say where to click but not what the link is for. */
export const genericLabels = new Set(
  listWords(`
    here, click here, tap here, press here, click, link, this link, the link, click this link, button,
    this page, change email, continue, go, open, start, next, url, hier, hier klicken, klicken sie hier,
    klick hier, klicke hier, diesen link, dieser link, link öffnen, weiter, ici, cliquez ici, clique ici,
    cliquer ici, ce lien, continuer, aquí, aqui, haz clic aquí, haga clic aquí, pulsa aquí, este enlace,
    enlace, continuar, clique aqui, clicar aqui, este link, qui, clicca qui, fai clic qui, questo link,
    continua, klik hier, deze link, doorgaan, verder, här, klicka här, den här länken, fortsätt, her,
    klik her, klikk her, fortsæt, fortsett, tästä, napsauta tästä, jatka, tutaj, kliknij tutaj, kliknij,
    ten link, kontynuuj, zde, klikněte zde, pokračovat, ide, kattintson ide, itt, aici, click aici, здесь,
    сюда, нажмите здесь, нажмите сюда, по ссылке, ссылка, ссылке, перейти, продолжить, тут, натисніть тут,
    продовжити, buraya, buraya tıklayın, tıklayın, devam et, εδώ, πατήστε εδώ, κάντε κλικ εδώ, συνέχεια, こちら,
    こちらをクリック, ここ, ここをクリック, リンク, 続ける, 点击这里, 点击此处, 点此, 这里, 此处, 链接, 点击链接, 继续, 點擊這裡, 點擊此處, 此處, 여기, 여기를 클릭,
    여기를 클릭하세요, 링크, 계속, 계속하기, هنا, اضغط هنا, انقر هنا, الرابط, متابعة, यहाँ, यहां, यहाँ क्लिक करें,
    यहां क्लिक करें, लिंक, जारी रखें, tại đây, nhấn vào đây, vào đây, tiếp tục, di sini, klik di sini,
    lanjutkan, ที่นี่, คลิกที่นี่, คลิกลิงก์, ดำเนินการต่อ, כאן, לחץ כאן, לחצו כאן, המשך, register,
    register now, sign up, sign up now, create account, create an account, create your account,
    registrieren, jetzt registrieren, konto erstellen, s inscrire, je m inscris, créer un compte,
    créer mon compte, registrarse, registrarme, regístrate, crear cuenta, crear una cuenta, cadastrar,
    cadastrar se, cadastre se, registar, registar se, registrar se, criar conta, registrati, iscriviti,
    crea account, crea un account, registreren, registreer, account aanmaken, opret, opret konto, tilmeld,
    registrera, registrera dig, skapa konto, registrer, registrer deg, opprett konto, rekisteröidy,
    luo tili, zarejestruj się, załóż konto, zaregistrovat se, zaregistrovat, zaregistrovať sa, regisztráció,
    regisztrálok, înregistrare, înregistrează te, зарегистрироваться, зареєструватися, регистрирай се,
    регистрация, реєстрація, kaydol, kayıt ol, hesap oluştur, εγγραφή, サインアップ, 登録, 登録する, 新規登録, 注册, 註冊, 注 册,
    立即注册, 立即註冊, 회원가입, 가입하기, 등록, đăng ký, ลงทะเบียน, สมัครสมาชิก, الاشتراك, التسجيل, اشترك الآن, הרשמה,
    להרשמה, daftar, registruotis, registrirajte se, registriraj se, registrovať sa, clicca per accedere,
    haz clic para acceder, haga clic para acceder, clique para acessar, cliquez pour accéder, get started,
    start now, create your account now, create my account, loslegen, jetzt loslegen, jetzt starten,
    commencer, comenzar, empezar, começar, inizia, iniziare, aan de slag, kom igång, kom i gang, rozpocznij,
    zacznij, začít, начать, почати, başla, şimdi başlayın, hemen başla, はじめる, 始める, 开始, 開始, 시작하기, ابدأ,
    ابدأ الآن, शुरू करें, bắt đầu, mulai, เริ่มต้น, התחל, aloita, începe, kezdés, ξεκινήστε, започни,
    starten, démarrer, cominciamo, começar agora, vamos começar, začni, začněme, začněte, începeți, pradėti,
    započni, začnite, inscription, registrace, registreeri, ثبت نام, создать аккаунт, створити акаунт
  `),
);

/** Words in a sentence that only points at a link. */
export const pointingWords = listWords(`
  click, link, button, below, this page, following page, this address, web address, diese seite,
  folgende seite, questo indirizzo, cette page, esta página, deze pagina, klick, unten, lien, cliqu,
  dessous, enlace, clic, pulsa, abajo, abaixo, sotto, knop, klik, länk, knapp, nedan, nedenfor, linkki,
  przycisk, odkaz, gomb, butonul, ссылк, кноп, посилан, bağlantı, tıkla, butona, σύνδεσμ, リンク, クリック, 下記, 以下,
  ボタン, 链接, 連結, 点击, 點擊, 按钮, 按鈕, 링크, 클릭, 버튼, 아래, رابط, زر, انقر, اضغط, लिंक, क्लिक, बटन, liên kết, nhấn,
  tautan, tombol, ลิงก์, คลิก, ปุ่ม, קישור, כפתור, לחץ, پیوند, کلیک, ligazón, poveznic, povezav, холбоос,
  கிளிக், nuorod, кликн, щракн, линк, lingi, esteka, lidhje, tengil, hivatkozás, kattint, következő oldal,
  pautan, lenk, odnośnik, ללחוץ, לחיצה, לינק, لینک, آدرس زیر, đường dẫn, onderstaande, ক্লিক, লিংক, লিঙ্ক,
  લિંક, ਲਿੰਕ, లింక్, இணைப்ப, ಲಿಂಕ್, ലിങ്ക, enllaç, dolen, _saites, _saiti, հղ, ბმულ, keçid, спасылк, តំណ,
  kiungo, لنک, လင့်, везу_, връзк, нажмит, натисн, bấm vào, klikn, සබැඳ, napauta, painamalla, page suivante,
  adresse suivante, siguiente página, página siguiente, siguiente dirección, dirección siguiente,
  página seguinte, seguinte página, endereço seguinte, seguinte endereço, pagina seguente, seguente pagina,
  seguente indirizzo, indirizzo seguente, folgende adresse, folgenden adresse, volgende pagina,
  följande sida, følgende side, následující strán, następującą stron, следующей странице,
  следующую страницу, ลิงค์, จากลิงค์
`);

/** Words in a sentence for readers who did not request the email. Such a sentence does not say what a nearby link is for. */
export const ignoreWords = listWords(`
  ignore, did not, didn t, not you, wasn t you, wasn t me, nicht angefordert, nicht sie, ignorieren,
  n avez pas, n êtes pas, ignorez, no solicitaste, no has solicitado, no ha solicitado, ignora,
  non hai richiesto, não solicitou, não pediu, ignore este, niet aangevraagd, negeer, inte begärt, ignorera,
  ikke anmodet, ikke bedt om, ignorer, et pyytänyt, nie prosił, zignoruj, ignoruj, nežádal,
  hagyja figyelmen, nu ai solicitat, не запрашивали, проигнорируйте, не ви, talep etmediyseniz, göz ardı,
  yok say, αγνοήστε, 心当たり, 覚えのない, 無視, 忽略, 不是您, 무시, 요청하지 않, لم تطلب, تجاهل, अनदेखा, bỏ qua, không yêu cầu,
  abaikan, ไม่ได้ร้องขอ, התעלם
`);

/** Labels of links that lead to a document. */
export const viewWords = listWords(`
  view your order, view order, order status, track your, view your booking, manage booking,
  manage your booking, view itinerary, view invoice, view receipt, review document, view document,
  view ticket, view your ticket
`);

/** Confirmations that are documents, not actions, and words for facts that the reader should confirm (確認, 확인). */
export const documentWords = listWords(`
  order confirmation, booking confirmation, payment confirmation, reservation confirmation,
  purchase confirmation, shipping confirmation, confirmation number, bestellbestätigung,
  buchungsbestätigung, auftragsbestätigung, versandbestätigung, zahlungsbestätigung,
  confirmation de commande, confirmation de réservation, confirmación de pedido, confirmación de compra,
  confirmación de reserva, conferma dell ordine, conferma d ordine, conferma ordine, confirmação de pedido,
  confirmação do pedido, orderbevestiging, boekingsbevestiging, orderbekräftelse, bokningsbekräftelse,
  ordrebekræftelse, ordrebekreftelse, tilausvahvistus, potwierdzenie zamówienia, подтверждение заказа,
  sipariş onayı, confirm order_, confirm your order, confirm my order, confirm the order,
  bestellung bestätig, auftrag bestätig, confirmer la commande, confirmer ma commande,
  confirmer votre commande, confirmar pedido, confirmar el pedido, confirmar tu pedido, confirmar o pedido,
  conferma l ordine, confermare l ordine, bestelling bevestig, bevestig je bestelling,
  bevestig uw bestelling, potwierdź zamówienie, подтвердить заказ, подтвердите заказ,
  підтвердити замовлення, siparişi onayla, siparişini onayla, siparişinizi onayla, 注文, 詳細, 内容, 状況, 明細, 履歴,
  配送, 商品, ご請求, 請求書, 請求額, 請求金額, 請求内容, 주문, 내역, 배송, 상세, 명세, 订单, 訂單, 详情, confirmación del pedido,
  confirmación de tu pedido, confirmación de su pedido, confirmación de orden, confirmação da encomenda,
  confirmação de encomenda, confirmação do seu pedido, comanda, comenzii, comenzi, objednáv, παραγγελ,
  ऑर्डर, megrendel, замовлен, заказу_, заказа_, наруџбин, narudžb, narudžbin, поръчк, нарачк, naročil,
  užsakym, pasūtījum, pesanan, pemesanan, đơn hàng, สั่งซื้อ, تأكيد الطلب, سفارش, אישור הזמנה, אישור ההזמנה,
  kumpirmasyon ng order, ഓർഡർ, ਆਰਡਰ, अर्डर, অর্ডার, ஆர்டர், ఆర్డర్, បញ្ជាទិញ
`);

/** Words that send the reader to an address. What they precede is not the name of a link. */
export const goingWords = listWords(`
  visit, go to_, navigate to_, besuche, öffne, aufrufen, rufen sie, gehe zu, gehen sie, rendez vous,
  allez sur, accédez, visita, ve a_, dirígete, diríjase, acceda a, aceda a, acesse, vai su_, vai a_,
  ga naar, bezoek, gå till, besök, gå til_, besøg, besøk, siirry, przejdź, odwiedź, wejdź, přejdě, přejít,
  pokračujte na, navštiv, navštív, prejdite, látogass, accesați, accesaţi, vizita, перейд, посетите,
  зайдите, відвідайте, відкрийте, ziyaret, επισκεφθ, μεταβ, アクセス, 访问, 訪問, 打开, 打開, 前往, 방문, 이동, 접속, قم بزيارة,
  تفضل, जाएँ, जाएं, kunjung, truy cập, ไปที่, עבור, obiščite, posjetite, posetite, посетете, отворете,
  apsilankykite, apmeklē, visiteu, bisitatu, مشاهده, besoek
`);

/** Labels that refuse something. */
export const refusals = listWords(`
  decline, reject, refuse, ablehn, refuser, rechazar, rechaza_, rifiuta, recusar, rejeitar, weiger, afwijz,
  avböj, avvisa, afvis, avslå, hylkää, odrzuć, odmów, odmítn, zamítn, elutasít, respinge, refuz, отклон,
  отказ, відхил, reddet, απόρριψη, 辞退, 拒否, 拒绝, 拒絕, 거절, 거부, رفض, अस्वीकार, từ chối, tolak, ปฏิเสธ, דחה
`);

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
  pasfhoca, _šifr, _šifru_, κωδικών πρόσβασ, ο κωδικός σας πρόσβασης
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
