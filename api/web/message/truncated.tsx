import { inTeam } from '../client/team.ts';
import { size } from '../parts/size.ts';

type Props = { message: number; bytes: number };

/** Note that the API gave only the beginning of a text, with a link to the whole. `bytes` is the size of the message. */
export function Truncated({ message, bytes }: Props) {
  return (
    <p class="truncated" role="note">
      Only the first 1 MiB is shown here.{' '}
      <a href={inTeam(`/api/messages/${message}/raw`)} download={`message-${message}.eml`}>
        Download the message ({size(bytes)})
      </a>
    </p>
  );
}
