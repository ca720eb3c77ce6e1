package dev.sandpost;

import dev.sandpost.Sandpost.Inbox;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test of JUnit 5 or newer an address of its own for each parameter of the type Inbox, of the test, a constructor or a method
 * such as those with {@code @BeforeAll}. It begins with the name of the test, or with that of the class where there is no test yet. The
 * test, or its class, has {@code @ExtendWith(SandpostExtension.class)}.
 */
public final class SandpostExtension implements ParameterResolver {
    private static final Sandpost sandpost = new Sandpost();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Inbox.class;
    }

    @Override
    public Inbox resolveParameter(ParameterContext parameter, ExtensionContext test) {
        String ofClass = test.getTestClass().map(Class::getSimpleName).orElse("test");
        return sandpost.inbox(test.getTestMethod().map(Method::getName).orElse(ofClass));
    }
}
