import io.quarkiverse.mailpit.test.invoker.ApiClient;
import io.quarkiverse.mailpit.test.model.DeleteMessagesParamsRequest;
import io.quarkiverse.mailpit.test.model.RenameTagParamsRequest;
import io.quarkiverse.mailpit.test.model.SendMessageParamsRequest;
import io.quarkiverse.mailpit.test.model.SendMessageParamsRequestFrom;
import io.quarkiverse.mailpit.test.model.SendMessageParamsRequestToInner;
import io.quarkiverse.mailpit.test.model.SetReadStatusParamsRequest;
import io.quarkiverse.mailpit.test.model.SetTagsParamsRequest;
import io.quarkiverse.mailpit.test.rest.ApplicationApi;
import io.quarkiverse.mailpit.test.rest.MessageApi;
import io.quarkiverse.mailpit.test.rest.MessagesApi;
import io.quarkiverse.mailpit.test.rest.OtherApi;
import io.quarkiverse.mailpit.test.rest.TagsApi;
import io.quarkiverse.mailpit.test.rest.TestingApi;
import java.util.List;
import java.util.concurrent.Callable;

/** Calls a Mailpit at a URL, and prints a line for each call: its result, or the class of its error. It says nothing of Sandpost. */
class Use {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        MessagesApi messages = new MessagesApi(client);
        MessageApi message = new MessageApi(client);
        TagsApi tags = new TagsApi(client);
        TestingApi testing = new TestingApi(client);
        ApplicationApi application = new ApplicationApi(client);
        SendMessageParamsRequest mail = new SendMessageParamsRequest()
            .from(new SendMessageParamsRequestFrom().email("shop@example.com").name("Shop"))
            .to(List.of(new SendMessageParamsRequestToInner().email("ada@example.org").name("Ada")))
            .subject("Welcome").text("Code 493817").HTML("<p>Code 493817</p>").tags(List.of("smoke"));
        String id = message.sendMessageParams(mail).getID();
        say("list", () -> messages.getMessagesParams(0L, 10L).getMessages().get(0).getSubject());
        say("search", () -> messages.searchParams("subject:Welcome", "0", "10", null).getMessagesCount());
        say("message", () -> message.getMessageParams(id).getText().trim());
        say("latest", () -> message.getMessageParams("latest").getTags());
        say("raw", () -> message.downloadRawParams(id).contains("Subject: Welcome"));
        say("text", () -> testing.getMessageTextParams(id).trim());
        say("html", () -> testing.getMessageHTMLParams(id, null).contains("493817"));
        say("read", () -> messages.setReadStatusParams(null, new SetReadStatusParamsRequest().ids(List.of(id)).read(false)));
        say("tag", () -> tags.setTagsParams(new SetTagsParamsRequest().ids(List.of(id)).tags(List.of("one", "two"))));
        say("rename", () -> tags.renameTagParams("one", new RenameTagParamsRequest().name("three")));
        say("delete tag", () -> tags.deleteTagParams("two"));
        say("tags", () -> tags.getAllTags());
        say("check", () -> new OtherApi(client).hTMLCheckParams(id).getTotal().getTests() > 0);
        say("info", () -> application.appInformation().getUnread());
        say("page", () -> application.webUIConfigurationResponse().getSpamAssassin());
        say("delete search", () -> messages.deleteSearchParams("subject:zzz", null));
        say("delete", () -> messages.deleteMessagesParams(new DeleteMessagesParamsRequest().ids(List.of(id))));
        say("left", () -> messages.getMessagesParams(null, null).getTotal());
    }

    private static void say(String what, Callable<Object> call) {
        try {
            System.out.println(what + ": " + call.call());
        } catch (Exception error) {
            System.out.println(what + ": " + error.getClass().getSimpleName());
        }
    }
}
