"""The model of the bundled sample: a small classifier of 10 by 10 grey pictures. Its weights are random; it was never trained."""

from collections import OrderedDict

import torch
from torch import nn


class DigitClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            OrderedDict(
                conv=nn.Conv2d(1, 4, kernel_size=3),
                activation=nn.ReLU(),
                pool=nn.MaxPool2d(2),
            )
        )
        self.classifier = nn.Sequential(
            OrderedDict(
                hidden=nn.Linear(4 * 4 * 4, 16),
                activation=nn.ReLU(),
                scores=nn.Linear(16, 10),
            )
        )

    def forward(self, image):
        pixels = (image - 0.5) * 2.0
        features = self.features(pixels).flatten(1)
        scores = self.classifier(features)
        return {"scores": scores, "probabilities": torch.softmax(scores, dim=1)}
