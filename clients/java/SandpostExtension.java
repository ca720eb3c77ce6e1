package dev.sandpost;

import dev.sandpost.Sandpost.Inbox;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test of JUnit 5 or newer an address of its own for each parameter of the type Inbox. It begins with the name of the
 * test. The test, or its class, has {@code @ExtendWith(SandpostExtension.class)}.
 */
public final class SandpostExtension implements ParameterResolver {
    private static final Sandpost sandpost = new Sandpost();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Inbox.class;
    }

    @Override
    public Inbox resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return sandpost.inbox(test.getRequiredTestMethod().getName());
    }
}
