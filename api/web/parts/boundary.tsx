import { Component, type ComponentChildren } from 'preact';

type Props = {
  children: ComponentChildren;
  part: string;
  /** Value whose change retries a failed part. A part that works is left alone, with its focus. */
  retryOn?: string;
};

/**
 * Confines a rendering error to one part of the page. `part` is what the sentence shown instead calls the part. A new `key` rebuilds the
 * part even if it works, and takes the focus from it.
 */
export class Boundary extends Component<Props, { failedOn: string | null }> {
  override state = { failedOn: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failedOn: this.props.retryOn ?? '' });
  }

  override render({ children, part, retryOn = '' }: Props) {
    if (this.state.failedOn !== retryOn) return children;
    return (
      <p class="message-none muted" role="alert">
        {part} can't be displayed: it contains something this page can't handle.{' '}
        <button type="button" onClick={() => this.setState({ failedOn: null })}>
          Try again
        </button>
      </p>
    );
  }
}
