// Loaded before anything else (`node -r ./scripts/node-version.cjs …`), in the oldest dialect that Node speaks: an older
// Node cannot even read the TypeScript files that it would then be told about.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This needs Node 22.18 or newer, and runs on ${process.versions.node}: run "npm ci" and start it with "npm test".`,
  )
  process.exit(69)
}
