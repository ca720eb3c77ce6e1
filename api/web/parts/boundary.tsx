import { Component, type ComponentChildren } from 'preact';

type Props = { children: ComponentChildren; part: string };

/**
 * Confines an error of drawing to one part of the page. `part` is its name in the sentence that is shown instead. A new
 * `key` starts the part again.
 */
export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render({ children, part }: Props) {
    if (!this.state.failed) return children;
    return (
      <p class="message-none muted" role="alert">
        {part} could not be shown: something in it is too much for this page.{' '}
        <button type="button" onClick={() => this.setState({ failed: false })}>
          Try again
        </button>
      </p>
    );
  }
}
