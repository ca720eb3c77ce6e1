import { useEffect, useState } from 'preact/hooks';
import { copy } from './copy.ts';

type Props = {
  text: string;
  /** Text for screen readers: `Copy the code`. */
  label: string;
  /** Button text. */
  name?: string;
};

/** Button that copies text, and confirms this for two seconds. */
export function CopyButton({ text, label, name = 'Copy' }: Props) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <>
      <button
        type="button"
        class="copy"
        aria-label={label}
        onClick={async ({ currentTarget }) =>
          setSaid((await copy(text, currentTarget)) ? 'Copied' : 'Not copied')
        }
      >
        {said || name}
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
    </>
  );
}

/** Wrapping lines next to the button that copies them. */
export const Copied = ({ text, label }: Pick<Props, 'text' | 'label'>) => (
  <div class="copied">
    <pre class="wraps grow">{text}</pre>
    <CopyButton text={text} label={label} />
  </div>
);
