// Reads the list again while somebody sees it. Rows that are there already stay the same elements, and the focus stays in them.
const everyMs = 5000;

async function refresh() {
  const answer = document.hidden ? null : await fetch(location.href, { cache: 'no-store' }).catch(() => null);
  if (answer?.status === 404) location.reload();
  if (answer?.ok) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  setTimeout(refresh, everyMs);
}

function show(read) {
  const list = document.querySelector('#rows');
  const known = new Map(Array.from(list.children, (row) => [row.id, row]));
  const rows = Array.from(read.querySelector('#rows').children, (row) => known.get(row.id) ?? row);
  if (rows.length === known.size && rows.every((row) => row.isConnected)) return;
  const { activeElement: focused } = document;
  list.replaceChildren(...rows);
  if (focused?.isConnected) focused.focus();
  for (const id of ['count', 'pages']) document.getElementById(id).innerHTML = read.getElementById(id).innerHTML;
}

setTimeout(refresh, everyMs);
