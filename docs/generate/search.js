// Prints what the search of a built site finds, by its own script: node search.js SITE WORDS...
const fs = require("fs")
const [site, ...searches] = process.argv.slice(2)
const folder = `${site}/assets/javascripts/workers`
const script = fs.readdirSync(folder).find(name => /^search\..+\.js$/.test(name))
const { config, docs } = JSON.parse(fs.readFileSync(`${site}/search/search_index.json`))
const replies = []
let send
globalThis.self = globalThis
globalThis.addEventListener = (_, listener) => { send = (type, data) => listener({ data: { type, data } }) }
globalThis.postMessage = reply => replies.push(reply.data)
require("vm").runInThisContext(fs.readFileSync(`${folder}/${script}`, "utf8"))

async function main() {
  await send(0, { config, docs, options: {} })
  for (const words of searches) await send(2, words)
  console.log(JSON.stringify(replies.slice(1).map(reply => reply.items.flat())))
}
main()
