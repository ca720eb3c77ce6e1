import { DialogForm } from '../parts/dialog.tsx';
import type { FormProps } from '../parts/form.tsx';

type Props<T, N extends string> = {
  title: string;
  /** Level of the heading. */
  level?: 'h1' | 'h2';
  /** Noun of the thing that the form creates: `domain`. */
  creates: string;
  /** Absent for people who may create none. */
  form: FormProps<T, N> | false;
};

/** Heading above a list, and the button that opens the form for one more. */
export function Head<T, const N extends string>({ title, level: Title = 'h1', creates, form }: Props<T, N>) {
  const name = `New ${creates}`;
  return (
    <div class="wrap head">
      <Title class="grow">{title}</Title>
      {form && <DialogForm look="main" text={`${name}…`} label={name} title={name} form={form} />}
    </div>
  );
}
