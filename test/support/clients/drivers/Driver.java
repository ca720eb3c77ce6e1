import dev.sandpost.Sandpost;
import dev.sandpost.Sandpost.Conditions;
import dev.sandpost.Sandpost.Inbox;
import dev.sandpost.Sandpost.Mail;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Scanner;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Calls the client as the lines of standard input say. See languages.ts beside this folder. */
class Driver {
    private static Sandpost server;
    private static Inbox inbox;
    private static String kind;
    private static String name;

    public static void main(String[] args) {
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            try {
                System.out.println("ok " + HexFormat.of().formatHex(call(lines.nextLine().split("\t", -1))));
            } catch (Sandpost.SandpostError error) {
                System.out.println("error " + HexFormat.of().formatHex(bytes(error.getMessage())));
            }
        }
    }

    private static byte[] call(String[] words) {
        switch (words[0]) {
            case "server":
                server = new Sandpost(words[1], words[2], words[3]);
                return bytes("");
            case "inbox":
                inbox = server.inbox(words[1]);
                return bytes(inbox.address);
            case "none":
                inbox.none(wanted -> give(wanted, words));
                return bytes("");
            case "mails":
                List<Mail> mails = inbox.mails(wanted -> give(wanted, words));
                return bytes(mails.stream().map(mail -> "" + mail.id).collect(Collectors.joining("\n")));
        }
        kind = null;
        name = "*";
        Mail mail = inbox.waitFor(wanted -> give(wanted, words));
        switch (words[0]) {
            case "code": return bytes(mail.code());
            case "link": return bytes(kind == null ? mail.link() : mail.link(kind));
            case "attachment": return mail.attachment(name);
            case "html": return bytes(mail.html());
            case "text": return bytes(mail.text());
            case "raw": return mail.raw();
            default: return bytes("" + mail.id);
        }
    }

    private static void give(Conditions wanted, String[] words) {
        for (int i = 1; i < words.length; i++) {
            int end = words[i].indexOf('=');
            String value = words[i].substring(end + 1);
            switch (words[i].substring(0, end)) {
                case "subject" -> wanted.subject(value);
                case "subject~" -> wanted.subject(Pattern.compile(value));
                case "from" -> wanted.from(value);
                case "from~" -> wanted.from(Pattern.compile(value));
                case "text" -> wanted.text(value);
                case "text~" -> wanted.text(Pattern.compile(value));
                case "q" -> wanted.q(value);
                case "trace" -> wanted.trace(value);
                case "within" -> wanted.within(seconds(value));
                case "settle" -> wanted.settle(seconds(value));
                case "count" -> wanted.count(Integer.parseInt(value));
                case "after" -> inbox.mails().stream().filter(mail -> value.equals("" + mail.id)).forEach(wanted::after);
                case "kind" -> kind = value;
                default -> name = value;
            }
        }
    }

    private static Duration seconds(String value) {
        return Duration.ofMillis(Math.round(Double.parseDouble(value) * 1000));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
