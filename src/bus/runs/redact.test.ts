import { describe, expect, it } from 'vitest'
import { formatCommandLine } from './redact.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N'
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----'

/** Each with what must not be in the line. */
const SECRETS: readonly (readonly [words: readonly string[], secret: string])[] = [
  [['agent', '--token', 'hunter2'], 'hunter2'],
  [['agent', '-token', 'hunter2'], 'hunter2'],
  [['agent', '--token', '-hunter2'], 'hunter2'],
  [['agent', '--token=hunter2'], 'hunter2'],
  [['agent', '--api-key=hunter2'], 'hunter2'],
  [['agent', '--api_key', 'hunter2'], 'hunter2'],
  [['agent', '--apiKey', 'hunter2'], 'hunter2'],
  [['agent', '--auth', 'hunter2'], 'hunter2'],
  [['agent', '--password', 'two words'], 'two words'],
  [['agent', '--client-secret=two words'], 'words'],
  [['aws', '--secret-string', 'hunter2'], 'hunter2'],
  [['env', 'GITHUB_TOKEN=hunter2', 'agent'], 'hunter2'],
  [['env', 'GITHUB_TOKEN_PROD=hunter2', 'agent'], 'hunter2'],
  [['env', 'PASSWORD1=hunter2', 'agent'], 'hunter2'],
  [['env', 'PGPASSWORD=hunter2', 'psql'], 'hunter2'],
  [['env', 'AWS_SECRET_ACCESS_KEY=ab/cd+ef', 'agent'], 'ab/cd+ef'],
  [['sh', '-c', 'export API_KEY="two words"; agent'], 'two words'],
  [['sh', '-c', "TOKEN='hunter2' agent"], 'hunter2'],
  [['sh', '-c', 'agent --token hunter2 --verbose'], 'hunter2'],
  [['sh', '-c', 'agent --password "hunter2"'], 'hunter2'],
  [['sh', '-c', 'curl -u bob:hunter2 https://example.com'], 'hunter2'],
  [['curl', '-u', 'bob:hunter2', 'https://example.com'], 'hunter2'],
  [['curl', '-ubob:hunter2', 'https://example.com'], 'hunter2'],
  [['sh', '-c', 'curl -u "bob:two words" https://example.com'], 'words'],
  [['sh', '-c', 'PASSWORD="two\\"words" agent'], 'words'],
  [['sh', '-c', 'TOKEN=two"words" agent'], 'words'],
  [['curl', '-H', 'Authorization: Bearer abcdefgh12345678'], 'abcdefgh'],
  [['curl', '-H', 'Authorization: Token abc'], 'abc'],
  [['curl', '-H', 'X-Api-Key: hunter2'], 'hunter2'],
  [['curl', '--header=Cookie: a=b; session=hunter2'], 'hunter2'],
  [['curl', '-H', 'authorization: basic Ym9iOmh1bnRlcjI='], 'Ym9i'],
  [['say', 'use bearer abcdefgh12345678 for it'], 'abcdefgh'],
  [['curl', '-d', '{"password": "hunter2", "user": "bob"}'], 'hunter2'],
  [['sh', '-c', 'curl -d "{\\"password\\":\\"hunter2\\"}"'], 'hunter2'],
  [['curl', 'https://example.com/?a=1&access_token=hunter2&b=2'], 'hunter2'],
  [['curl', 'https://x.blob.example.com/?sv=1&sig=hunter2%3D'], 'hunter2'],
  [['az', 'AccountName=a;AccountKey=hunter2=='], 'hunter2'],
  [['psql', 'postgres://bob:hunter2@db.example.com/app'], 'hunter2'],
  [['psql', 'postgres://bob:hun@ter:2@db.example.com/app'], 'ter'],
  [['git', 'clone', 'https://:hunter2@example.com/x.git'], 'hunter2'],
  [['git', 'clone', `https://ghp_${'a1'.repeat(18)}@example.com/x.git`], 'a1a1'],
  [['agent', `sk-ant-api03-${'b2'.repeat(20)}`], 'b2b2'],
  [['agent', `key is sk-proj-${'b2'.repeat(20)}, is it`], 'b2b2'],
  [['agent', `sk_live_${'b2'.repeat(12)}`], 'b2b2'],
  [['agent', `github_pat_${'c3'.repeat(30)}`], 'c3c3'],
  [['agent', `glpat-${'c3'.repeat(10)}`], 'c3c3'],
  [['agent', 'xoxb-1234567890-abcdefghij'], 'abcdefghij'],
  [['agent', 'AKIAIOSFODNN7EXAMPLE'], 'IOSFODNN'],
  [['agent', `AIza${'d4'.repeat(18)}`], 'd4d4'],
  [['agent', `npm_${'e5'.repeat(18)}`], 'e5e5'],
  [['agent', `pst_${'f6'.repeat(21)}g`], 'f6f6'],
  [['agent', JWT], 'dozjgNry'],
  [['agent', `x ${JWT} y`], 'eyJzdWIi'],
  [['agent', PEM], 'MIIEow'],
  [['agent', '123456789:AAabcdefghijklmnopqrstuvwxyz0123456'], 'abcdefgh'],
]

describe('a command line that is kept', () => {
  it.each(SECRETS)('%j: has no %s', (words, secret) => {
    const line = formatCommandLine(words)
    expect(line).not.toContain(secret)
    expect(line).toContain('***')
    expect(line.startsWith(words[0] ?? '')).toBe(true)
  })

  it.each([
    ['claude -p --max-tokens 4096 --output-format json', 'claude -p --max-tokens 4096 --output-format json'],
    ['agent --tokenizer fast --author bob', 'agent --tokenizer fast --author bob'],
    ['agent --token-file /run/token --password-stdin', 'agent --token-file /run/token --password-stdin'],
    ['agent --token-budget 100 --max-token 3', 'agent --token-budget 100 --max-token 3'],
    ['git clone ssh://git@example.com:22/x.git', 'git clone ssh://git@example.com:22/x.git'],
    ['curl http://127.0.0.1:4747/a@b', 'curl http://127.0.0.1:4747/a@b'],
    ['make public-key=a keyboard=de monkey=1', 'make public-key=a keyboard=de monkey=1'],
    ['sketch sk-1 task-12345678901234567890', 'sketch sk-1 task-12345678901234567890'],
    ['agent --token --verbose', 'agent --token --verbose'],
  ])('%s: keeps what is no secret', (words, line) => {
    expect(formatCommandLine(words.split(' '))).toBe(line)
  })

  it('keeps words apart, as a shell would read them', () => {
    expect(formatCommandLine(['sh', '-c', "echo 'a b'", '', '$HOME'])).toBe("sh -c 'echo '\\''a b'\\''' '' '$HOME'")
  })

  it('keeps what stands around a secret', () => {
    expect(formatCommandLine(['curl', 'https://bob:pw@example.com/?token=x&n=1'])).toBe(
      "curl 'https://bob:***@example.com/?token=***&n=1'",
    )
    expect(formatCommandLine(['sh', '-c', 'A_TOKEN=x agent --key-size 3'])).toBe(
      "sh -c 'A_TOKEN=*** agent --key-size 3'",
    )
  })

  it.each(['😀', '\u0001', '"', 'a'])('is bounded as it is written, and never ends within a %j', (character) => {
    const line = formatCommandLine(['agent', character.repeat(5_000)])
    expect(Buffer.byteLength(JSON.stringify(line))).toBeLessThan(4_200)
    expect(line.endsWith(`${character}…`)).toBe(true)
    expect(line.isWellFormed()).toBe(true)
  })

  it.each([
    'a',
    '-',
    'eyJ',
    'token=',
    'x://',
    '://a:',
    '"',
    "token='",
    'a=',
    '-----BEGIN PRIVATE KEY-----',
    '--token ',
    'token="\\"',
    '-u "a:',
    ' ',
  ])('looks at much of %j only a few times', (piece) => {
    const line = formatCommandLine(['agent', piece.repeat(Math.ceil(400_000 / piece.length))])
    expect(line.length).toBeLessThan(4_200)
  })
})
