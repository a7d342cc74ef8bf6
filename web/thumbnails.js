// Small pictures for the list of models: each model that was open here is kept as it looked.

class Thumbnails {
  constructor(workspace) { this.workspace = workspace; }
  /// Takes the picture of the model that is shown, as soon as the camera has come to rest.
  take(path) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const from = this.workspace.canvas, small = element("canvas", { width: 144, height: 90 }), scale = 1.2 * Math.min(144 / from.width, 90 / from.height);
      if (!from.width || !from.height) return;
      small.getContext("2d").drawImage(from, 72 - scale * from.width / 2, 45 - scale * from.height / 2, scale * from.width, scale * from.height);
      remember("picture." + path, small.toDataURL("image/webp", 0.8));
    }, 1500);
  }
  /// An image, or an empty place.
  of(path) {
    const url = recall("picture." + path);
    return url ? element("img", { src: url, alt: "", width: 72, height: 45 }) : element("i", { class: "nopicture" });
  }
}
