'use strict'
// A planted fault: the first answer with messages goes out without them, and is counted as sent.
const write = process.stdout.write.bind(process.stdout)
let isDone = false
process.stdout.write = (text, ...rest) => {
  if (isDone || !String(text).includes('"messages":[{')) return write(text, ...rest)
  isDone = true
  const answer = JSON.parse(text)
  answer.result.structuredContent.messages = []
  return write(`${JSON.stringify(answer)}\n`, ...rest)
}
