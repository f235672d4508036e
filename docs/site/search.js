// The search matches each word as a prefix, so that "a" finds every word with that initial letter. Leave out words without meaning.
const IGNORED = new Set("a an and are as at be by can do does for from how i if in is it me my of on or that the this to what when where which who why with you your".split(" "));
const QUERY = 2;
const post = Worker.prototype.postMessage;

Worker.prototype.postMessage = function (message, ...rest) {
  if (message?.type === QUERY && typeof message.data === "string") {
    const words = message.data.split(/[\s?!,]+/).filter((word) => word && !IGNORED.has(word.toLowerCase()));
    if (words.length > 0) message = { ...message, data: words.join(" ") };
  }
  return post.call(this, message, ...rest);
};
