import jakarta.mail.Authenticator;
import jakarta.mail.Message;
import jakarta.mail.PasswordAuthentication;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;

/** Sends a mail: port, recipient, subject, the user name and password if it signs in, and the mechanism if it is not the usual one. */
class Send {
    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        settings.put("mail.smtp.host", "127.0.0.1");
        settings.put("mail.smtp.port", args[0]);
        settings.put("mail.smtp.auth", String.valueOf(args.length > 3));
        if (args.length > 5) {
            settings.put("mail.smtp.auth.mechanisms", args[5]);
        }
        Session session = Session.getInstance(settings, new Authenticator() {
            @Override
            protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication(args[3], args[4]);
            }
        });
        MimeMessage message = new MimeMessage(session);
        message.setFrom(new InternetAddress("shop@example.com"));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress(args[1]));
        message.setSubject(args[2]);
        message.setText("Your code is 493817.");
        Transport.send(message);
    }
}
