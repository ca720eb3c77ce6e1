/** Extracts a version's section from the changelog. If the version has no section, extracts the unreleased one. */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const sectionOf = (title: string) => sections.find((text) => text.split(/\s/, 1)[0] === title);
  const section = sectionOf(version) ?? sectionOf('Unreleased') ?? '';
  return section.slice(section.indexOf('\n')).trim();
}

/** Returns the text of a release: how to get it, and what has changed. `image` and `chart` are digests. */
export const notesOf = (version: string, repository: string, image: string, chart: string, changes: string) =>
  `# Sandpost ${version}

\`\`\`sh
docker run -p 8080:8080 -p 2525:2525 ${repository}:${version}
helm install sandpost oci://${repository}/charts/sandpost --version ${version} -n sandpost --create-namespace
\`\`\`

Image for linux/amd64 and linux/arm64: \`${repository}@${image}\`. Chart: \`${repository}/charts/sandpost@${chart}\`.

${changes}
`;
