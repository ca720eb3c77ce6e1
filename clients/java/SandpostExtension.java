package dev.sandpost;

import dev.sandpost.Sandpost.Inbox;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides a unique address for each parameter of type Inbox in JUnit 5 or newer: in tests, constructors, and {@code @BeforeAll} and
 * similar methods. The address begins with the test's name, or with the class's name if no test is running. To use the extension, add
 * {@code @ExtendWith(SandpostExtension.class)} to the test or its class.
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
